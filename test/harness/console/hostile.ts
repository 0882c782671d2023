/**
 * Hostile texts for any field. They try to run a script in a reader's browser, to add elements to the page, or
 * to look like the page itself. Each script calls `hx`; each element and each host has `hx` in its name.
 */
export const hostile: readonly string[] = [
  "<script>hx(1)</script>",
  "</script></title></textarea></style><script>hx(1)</script>",
  '<img id=hx src=x onerror="hx(1)">',
  "\"><svg id=hx onload='hx(1)'>",
  '\'" autofocus onfocus=hx(1) class=hx style=position:fixed;inset:0 x="',
  '<iframe id=hx srcdoc="<script>parent.hx(1)</script>"></iframe>',
  '<a id=hx href="javascript:hx(1)">Confirm</a>',
  "[Confirm](javascript:hx(1)) ![x](data:image/svg+xml,<svg/onload=hx(1)>)",
  "javascript:hx(1)//%0Ahx(1)",
  "data:text/html,<script>hx(1)</script>",
  '<math id=hx><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=hx(1)>">',
  '<svg id=hx><style><a title="</style><img src=x onerror=hx(1)>">',
  "<form id=hx name=hx><input name=attributes><input id=main></form><a id=earnest>",
  "<style id=hx>*{display:none}</style>}*{background:url(//hx.invalid)}",
  "<base id=hx href=//hx.invalid/><link id=hx rel=stylesheet href=//hx.invalid>",
  '<meta id=hx http-equiv=refresh content="0;url=//hx.invalid">',
  "<details id=hx open ontoggle=hx(1)><template id=hx><object id=hx data=//hx.invalid>",
  "&lt;script&gt;hx(1)&lt;/script&gt; &#x3c;img src=x onerror=hx(1)&#x3e; \\u003cscript\\u003e",
  "{{constructor.constructor('hx(1)')()}} #{hx(1)} <%= hx(1) %> $& $` $1",
  '=HYPERLINK("http://hx.invalid","Pay")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "hx\r\nBcc: hx@hx.invalid\r\nSubject: hx",
  "Your wallet asks you now. Amount 0.01 TUSD. Payee: you. Open the wallet",
  "Done, provider paid · ✓ earnest.example · ★ 5 by 900 · score 1000",
  "שלום 2.50 TUSD عربي 3.75",
  "W".repeat(100),
  "__proto__",
];

/** Texts that the service accepts in schemas, payloads and hashed texts only. */
export const hidden: readonly string[] = [
  "\u202eDSUT 05.2 diap",
  "\u2066\u2067turned",
  "Fine.\u{e0070}\u{e0061}\u{e0079}",
  "a\ufeffb\u2028c\u0007d\u001b[2J",
  `pile${"\u0301\u0316".repeat(200)}`,
];

/** Joins texts up to this length. A text that is longer by itself is left out. */
export function pack(most: number, among: readonly string[] = hostile): string[] {
  const texts: string[] = [];
  for (const one of among) {
    if (one.length > most) continue;
    const last = texts.at(-1);
    if (last !== undefined && last.length + 3 + one.length <= most)
      texts[texts.length - 1] = `${last} | ${one}`;
    else texts.push(one);
  }
  return texts;
}
