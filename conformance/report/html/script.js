"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  const count = byId("count");
  const fields = ["q", "design", "kind", "verdict", "grade", "basis", "severity"];

  // The list of claims is made from their pages, so that the file holds each
  // claim once.
  const make = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text }, more);
  const claims = Array.from(document.querySelectorAll("[data-claim]"), (page) => {
    const [verdict, grade, kind, basis, severity] = page.dataset.claim.split(" ");
    const [design, ...rest] = page.id.slice("/claim/".length).split("/");
    return { page, verdict, grade, kind, basis, severity: severity || "", design, short: rest.join("/"), title: page.querySelector("h1").textContent };
  });
  const linkTo = (claim, text) => make("a", text, { href: "#" + encodeURI(claim.page.id) });
  const body = byId("list").tBodies[0];
  const rows = claims.map((claim) => {
    const row = make("tr", "");
    const cell = (tag, ...content) => { const made = make(tag, ""); made.append(...content); row.append(made); return made; };
    cell("td", make("b", claim.verdict, { className: claim.verdict }));
    cell("th", linkTo(claim, claim.title), " ", make("code", claim.short)).scope = "row";
    cell("td", claim.design);
    cell("td", claim.severity ? claim.kind + ", " + claim.severity : claim.kind);
    cell("td", claim.grade);
    cell("td", claim.basis);
    const lines = claim.page.querySelector("dl:not(.problem) span");
    cell("td", lines.cloneNode(true));
    body.append(row);
    const file = lines.parentNode.firstChild.textContent.trim();
    const sends = (claim.page.dataset.sends || "") + (claim.page.querySelector("[data-departs]") ? " departs" : "");
    return { ...claim, row, lines: lines.textContent, text: [row.textContent, sends, file, claim.design + "/" + claim.short].join(" ").toLowerCase() };
  });
  for (const place of document.querySelectorAll("[data-claims]")) {
    const list = make("ul", "");
    for (const number of place.dataset.claims.split(" ")) {
      const claim = claims[number];
      const line = make("li", "");
      if (claim.verdict !== "pass") line.append(make("b", claim.verdict, { className: claim.verdict }), " ");
      line.append(linkTo(claim, claim.short));
      list.append(line);
    }
    place.append(list);
  }

  // What a claim's page shares with every other is added here.
  for (const claim of claims) {
    const crumbs = make("p", "", { className: "crumbs" });
    crumbs.append(make("a", claim.design, { href: "#/design/" + claim.design }), " › ",
      make("a", claim.kind, { href: "#/claims?" + new URLSearchParams({ design: claim.design, kind: claim.kind }) }));
    claim.page.prepend(crumbs);
    const left = claim.page.querySelector(".left");
    if (left) left.replaceChildren(make("a", left.textContent, { href: "requests.html#" + encodeURI(claim.page.id) }));
  }
  for (const heading of document.querySelectorAll("h1")) heading.tabIndex = -1;
  for (const cell of document.querySelectorAll("article th")) cell.scope = cell.closest("thead") ? "col" : "row";
  // What is wider than the window can be scrolled from the keyboard too.
  for (const wide of document.querySelectorAll(".wide, .case")) {
    const name = wide.querySelector("svg, h2, caption");
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", name ? name.getAttribute("aria-label") || name.textContent : "Table");
  }

  const matches = (value, wanted) => !wanted || (wanted.startsWith("not-") ? value !== wanted.slice(4) : value === wanted);

  const filter = () => {
    const state = Object.fromEntries(fields.map((name) => [name, form.elements[name].value]));
    // "FILE:200" and "line 200" ask for the claims whose lines hold that one.
    const wanted = [];
    const rest = state.q.toLowerCase().replace(/(?:^|\s)lines?\s+(\d+)/g, (_, n) => { wanted.push(Number(n)); return " "; })
      .replace(/(\S+):(\d+)(?=\s|$)/g, (_, file, n) => { wanted.push(Number(n)); return " " + file + " "; });
    const words = rest.split(/\s+/).filter(Boolean);
    const holds = (lines, n) => lines.split(",").some((part) => { const [from, to] = part.trim().split("-").map(Number); return from <= n && n <= (to || from); });
    let shown = 0;
    // A kind may be all kinds that are about one thing.
    const chosen = form.elements.kind.selectedOptions[0];
    const kinds = chosen && chosen.dataset.kinds ? chosen.dataset.kinds.split(" ") : [];
    for (const claim of rows) {
      const keep = fields.slice(1).every((name) => name === "kind" && kinds.length ? kinds.includes(claim.kind) : matches(claim[name], state[name])) && words.every((word) => claim.text.includes(word)) && wanted.every((n) => holds(claim.lines, n));
      claim.row.hidden = !keep;
      if (keep) shown++;
    }
    const number = (n) => n.toLocaleString("en");
    const claims = rows.length === 1 ? " claim" : " claims";
    count.textContent = (shown === rows.length ? "" : number(shown) + " of ") + number(rows.length) + claims;
  };

  // The filters stand in the address, so that a link can be sent.
  const filtersToAddress = () => {
    const query = new URLSearchParams();
    for (const name of fields) if (form.elements[name].value) query.set(name, form.elements[name].value);
    const text = query.toString();
    history.replaceState(null, "", "#/claims" + (text ? "?" + text : ""));
  };
  const addressToFilters = (query) => {
    const params = new URLSearchParams(query);
    for (const name of fields) {
      const field = form.elements[name];
      field.value = params.get(name) || "";
      if (field.selectedIndex === -1) field.value = "";
    }
    filter();
  };
  form.addEventListener("input", () => { filter(); filtersToAddress(); });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of fields) form.elements[name].value = "";
    filter();
    filtersToAddress();
    form.elements.q.focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());

  const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

  let marked = null;
  const go = (arrived) => {
    const hash = location.hash.slice(1);
    if (hash === "main") { byId("main").focus(); return; }
    const cut = hash.indexOf("?");
    const path = decode(cut < 0 ? hash : hash.slice(0, cut)) || "/overview";
    let found = byId(path);
    let view = found && found.closest(".view");
    if (!view) {
      byId("missing").textContent = path;
      found = view = byId("/not-found");
    }
    if (path === "/claims") addressToFilters(cut < 0 ? "" : hash.slice(cut + 1));
    for (const other of document.querySelectorAll(".view.current")) other.classList.remove("current");
    view.classList.add("current");
    document.title = view.querySelector("h1").textContent + " · dynaproof report";
    for (const link of document.querySelectorAll("[data-nav]")) {
      if (path.startsWith(link.dataset.nav) || path.startsWith("/claim" + link.dataset.nav.replace("/design", "") + "/")) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (marked) marked.classList.remove("target");
    marked = null;
    if (found !== view && found.tagName === "TR") {
      marked = found;
      found.classList.add("target");
      const claims = found.querySelector("details");
      if (claims) claims.open = true;
      found.scrollIntoView({ block: "center" });
    } else if (found !== view) {
      found.scrollIntoView();
    } else {
      scrollTo(0, 0);
    }
    if (!arrived) view.querySelector("h1").focus({ preventScroll: true });
    // An address of a view begins at the top of the page: the first Tab leads to the skip link, not past it.
    else if (found === view) {
      if (document.activeElement && document.activeElement !== document.body) return; // somebody was faster
      document.body.tabIndex = -1;
      document.body.focus({ preventScroll: true });
      document.body.removeAttribute("tabindex");
    }
  };
  addEventListener("hashchange", () => go(false));

  // "/" leads to the search from everywhere.
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    if (!byId("/claims").classList.contains("current")) location.hash = "#/claims";
    setTimeout(() => form.elements.q.focus());
  });

  const themes = ["system", "light", "dark"];
  const button = byId("theme");
  const remember = (theme) => { try { localStorage.setItem("dynaproof-theme", theme); } catch { /* storage may be off */ } };
  const remembered = () => { try { return localStorage.getItem("dynaproof-theme"); } catch { return null; } };
  const use = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    button.textContent = "Theme: " + theme;
    button.dataset.next = themes[(themes.indexOf(theme) + 1) % themes.length];
  };
  button.addEventListener("click", () => { remember(button.dataset.next); use(button.dataset.next); });
  use(themes.includes(remembered()) ? remembered() : "system");
  button.hidden = false;

  // A print shows what is folded away on the screen.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll(".view.current details:not([open])"));
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

  filter();
  go(true);
  // The browser itself scrolls to the address once everything is loaded.
  addEventListener("load", () => requestAnimationFrame(() => { go(true); root.classList.add("arrived"); }));
})();
