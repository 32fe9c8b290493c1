// What programs of repro.hpp are made of where the RDMA CM connects the queue pairs, as it has to
// on iWARP: in place of kOpenPort and kPairs of repro_parts.hpp.
#pragma once

#include <string_view>

namespace mrproof::conformance::repro_parts {

inline constexpr std::string_view kOpenCm = R"(
static struct ibv_port_attr port;
static struct sockaddr_in address = {.sin_family = AF_INET}; /* the device's own */

static struct ibv_context *open_device(int argc, char **argv)
{
    struct ibv_context **list = rdma_get_devices(NULL);
    struct ibv_context *context = NULL;
    NEED(argc == 3 && inet_pton(AF_INET, argv[2], &address.sin_addr) == 1);
    NEED(list && list[0]);
    for (; *list && !context; ++list)
        if (!strcmp(argv[1], ibv_get_device_name((*list)->device)))
            context = *list;
    NEED(context);
    NEED(!ibv_query_port(context, 1, &port) && port.state == IBV_PORT_ACTIVE);
    return context;
}
)";

/// @OWNER@: kOwner where kEnded is in the program.
inline constexpr std::string_view kPairsCm = R"(
/* Waits for the event; gives the end of the connection that it is about. */
static struct rdma_cm_id *await(struct rdma_event_channel *channel, enum rdma_cm_event_type wanted)
{
    struct rdma_cm_event *event;
    NEED(!rdma_get_cm_event(channel, &event));
    NEED(event->event == wanted);
    struct rdma_cm_id *id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

static struct ibv_qp *make_qp(struct rdma_cm_id *id, struct ibv_pd *pd)
{
    struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC, .cap = {16, 16, 2, 2, 0}};
    attr.send_cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
    attr.recv_cq = ibv_create_cq(pd->context, 16, NULL, NULL, 0);
@OWNER@    NEED(attr.send_cq && attr.recv_cq);
    NEED(!rdma_create_qp(id, pd, &attr));
    return id->qp;
}

/* A connection of the device to itself, with queue pairs in the two domains. */
static void make_pair(struct ibv_pd *pd_a, struct ibv_qp **a, struct ibv_pd *pd_b,
                      struct ibv_qp **b)
{
    struct rdma_event_channel *active = rdma_create_event_channel();
    struct rdma_event_channel *passive = rdma_create_event_channel();
    struct rdma_conn_param wanted = {
        .responder_resources = 1, .initiator_depth = 1, .retry_count = 6, .rnr_retry_count = 3};
    struct rdma_cm_id *listener, *end;
    struct sockaddr_in to = address;
    NEED(active && passive && !rdma_create_id(passive, &listener, NULL, RDMA_PS_TCP));
    NEED(!rdma_bind_addr(listener, (struct sockaddr *)&address) && !rdma_listen(listener, 1));
    to.sin_port = rdma_get_src_port(listener);
    NEED(!rdma_create_id(active, &end, NULL, RDMA_PS_TCP));
    NEED(!rdma_resolve_addr(end, (struct sockaddr *)&address, (struct sockaddr *)&to, 5000));
    await(active, RDMA_CM_EVENT_ADDR_RESOLVED);
    NEED(!rdma_resolve_route(end, 5000));
    await(active, RDMA_CM_EVENT_ROUTE_RESOLVED);
    *a = make_qp(end, pd_a);
    NEED(!rdma_connect(end, &wanted));
    end = await(passive, RDMA_CM_EVENT_CONNECT_REQUEST);
    *b = make_qp(end, pd_b);
    NEED(!rdma_accept(end, &wanted));
    await(active, RDMA_CM_EVENT_ESTABLISHED);
    await(passive, RDMA_CM_EVENT_ESTABLISHED);
}
)";

inline constexpr std::string_view kOwner = "    attr.qp_context = id;\n";

/// Where a connection over iWARP ends, of which the CM tells, whatever state ibv_query_qp(3) gives.
inline constexpr std::string_view kEnded = R"(
/* Whether the end is told within 10 s that the connection is over. Then it has to disconnect too,
 * rdma_disconnect(3), which flushes what is posted; one with nothing left to do may refuse. */
static int ended(struct ibv_qp *qp)
{
    struct rdma_cm_id *id = qp->qp_context;
    struct pollfd event = {.fd = id->channel->fd, .events = POLLIN};
    if (id->context)
        return 1;
    if (poll(&event, 1, 10000) <= 0)
        return 0;
    await(id->channel, RDMA_CM_EVENT_DISCONNECTED);
    rdma_disconnect(id);
    id->context = id; /* marks that it has ended */
    return 1;
}
)";

/// Of kRunStream, where kEnded is in the program.
inline constexpr std::string_view kFlushed =
    R"(    while (wc.wr_id == read.wr_id) /* of an earlier request, flushed since */
        got = completion(qp->send_cq);
    int was_over = ((struct rdma_cm_id *)qp->qp_context)->context != NULL;
    if (was_over || got != IBV_WC_SUCCESS)
        return was_over || !ended(qp) ? got : TERMINATED;
)";

}  // namespace mrproof::conformance::repro_parts
