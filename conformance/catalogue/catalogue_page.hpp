// What the catalogue's page has around its content: style, search field, script.
#pragma once

#include <string_view>

namespace mrproof::conformance {

/// From the doctype to the open <main>.
inline constexpr std::string_view kPageHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>mrproof rules</title><style>
:root{--ink:#1c2430;--paper:#fff;--soft:#eef1f5;--line:#aab4c2;--idle:#66707f;--blue:#2b6cb0;
--good:#2f855a;--warn:#975a16}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ee;--paper:#14181f;--soft:#222934;
--line:#566173;--idle:#95a0b0;--blue:#63b3ed;--good:#48bb78;--warn:#ecc94b}}
html{scroll-padding-top:5.5rem}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}
main{max-width:62rem;margin:2rem auto;padding:0 1rem}
a{color:var(--blue);text-decoration:none}a:hover{text-decoration:underline}
code{font-size:13px;overflow-wrap:anywhere}
.bar{position:sticky;top:0;background:var(--paper);padding:.6rem 0;z-index:1;
border-bottom:1px solid var(--line)}
.bar input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem .6rem;color:inherit;
background:var(--soft);border:1px solid var(--line);border-radius:6px}
.bar nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:.4rem;font-size:14px}
.bar nav span{margin-left:auto;color:var(--idle)}
h1{margin:.2rem 0;font-size:1.6rem}h2{margin:2.2rem 0 .6rem;font-size:1.3rem}
h3{margin:1.4rem 0 .3rem;font-size:1.05rem}
h5{margin:.5rem 0 .1rem;font-size:13px;font-weight:600;color:var(--idle)}
ul{margin:.1rem 0;padding-left:1.1rem}p{margin:.3rem 0}
.item{border-top:1px solid var(--soft);padding:.3rem 0}
details.item>summary{cursor:pointer}details.item[open]{padding-bottom:.7rem}
details.item>:not(summary){margin-left:1.1rem}
.ok{color:var(--good)}.fails{color:var(--warn)}
.cite,.used,.scope,.preconditions{color:var(--idle);font-size:13px}
.level{display:inline-block;min-width:4.6rem;font-size:13px;color:var(--idle)}
.tag{font-size:12px;background:var(--soft);border-radius:9px;padding:.05rem .5rem;
margin-left:.4rem;color:var(--idle)}
.open{color:var(--warn)}:target{background:var(--soft)}
figure{margin:1.4rem 0 2.4rem}figcaption{margin-bottom:.4rem}
svg{max-width:100%;height:auto}svg text{fill:var(--ink);font:12px system-ui,sans-serif;
text-anchor:middle}svg text.state{font-size:14px;font-weight:600}
table{border-collapse:collapse;width:100%;font-size:13px}
td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;
border-bottom:1px solid var(--soft)}td:not(:last-child){white-space:nowrap}
[hidden]{display:none}
</style></head><body><main>
)";

/// The search field and the way to the sections.
inline constexpr std::string_view kPageSearch = R"(<div class="bar">
<input id="q" type="search" placeholder="Search rules, conditions, clauses: all words"
aria-label="Search"><nav><a href="#diagrams">Diagrams</a><a href="#rules">Rules</a>
<a href="#conditions">Conditions</a><a href="#clauses">Clauses</a><a href="#gaps">Left open</a>
<span id="count"></span></nav></div>
)";

/// The script, and the end of the page. A rule is found by what its conditions say, too; lists of
/// who uses something are not looked at.
inline constexpr std::string_view kPageEnd = R"(</main><script>
const items=[...document.querySelectorAll('.item')];
const own=new Map(items.map(item=>{const copy=item.cloneNode(true);
copy.querySelectorAll('.used').forEach(used=>used.remove());
return[item.id,copy.textContent.toLowerCase()]}));
const found=items.map(item=>own.get(item.id)+' '+(item.dataset.also||'').split(' ')
.map(id=>own.get(id)||'').join(' '));
const field=document.getElementById('q'),count=document.getElementById('count');
field.addEventListener('input',()=>{
const words=field.value.toLowerCase().split(/\s+/).filter(Boolean);let shown=0;
items.forEach((item,i)=>{item.hidden=!words.every(word=>found[i].includes(word));
shown+=item.hidden?0:1});
document.querySelectorAll('.group').forEach(group=>{
group.hidden=!group.querySelector('.item:not([hidden])')});
document.getElementById('diagrams').hidden=words.length>0;
count.textContent=words.length?shown+' of '+items.length:''});
function reveal(){const target=document.getElementById(decodeURIComponent(location.hash.slice(1)));
if(!target)return;if(target.hidden||target.closest('[hidden]')){field.value='';
field.dispatchEvent(new Event('input'))}
if(target.tagName==='DETAILS')target.open=true;target.scrollIntoView()}
addEventListener('hashchange',reveal);reveal();
</script></body></html>
)";

}  // namespace mrproof::conformance
