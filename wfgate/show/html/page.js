
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const overview = one("#overview"), panel = one("#case"), table = one("#cases");

  // --- the table ---------------------------------------------------------------------------------------------------
  const rows = table ? all("tbody tr", table) : [];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const number = (row, name) => Number(row.dataset[name]);
  const keys = {
    place: (row) => number(row, "place"), severity: (row) => number(row, "severity"),
    rare: (row) => number(row, "rare"), name: (row) => row.dataset.name, corpus: (row) => row.dataset.corpus,
    found: (row) => row.dataset.found, before: (row) => number(row, "before"),
  };

  const FIRST = 100; // rows that are listed at first: laying out thousands takes a second
  let limit = FIRST;
  const filter = () => {
    const said = one("#by-text").value.trim().toLowerCase();
    const verdict = one("#by-verdict").value, finding = one("#by-finding").value, corpus = one("#by-corpus").value;
    const least = Number(one("#by-severity").value || 0);
    let shown = 0;
    for (const row of rows) {
      const data = row.dataset;
      const kept = (!verdict || data.verdict === verdict) && (!corpus || data.corpus === corpus)
        && (!least || number(row, "severity") >= least) && (!finding || data.found.split(" ").includes(finding))
        && (!said || texts.get(row).includes(said));
      shown += kept;
      const hidden = !kept || shown > limit;
      if (row.hidden !== hidden) row.hidden = hidden;
    }
    one("#shown").textContent = (shown === rows.length ? "" : `${shown} of `) + (rows.length === 1 ? "1 case" : `${rows.length} cases`);
    one("#more").hidden = shown <= limit;
    one("#more").textContent = `List all ${shown} cases, not only the first ${limit}`;
    for (const button of all("[data-only]")) button.setAttribute("aria-pressed", button.dataset.only === verdict);
  };

  const sort = (button) => {
    const head = button.closest("th"), key = keys[button.dataset.by];
    const rising = head.getAttribute("aria-sort") !== "ascending";
    for (const other of all("th[aria-sort]", table)) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : number(a, "place") - number(b, "place"));
    rows.sort((a, b) => (rising ? order(a, b) : order(b, a)));
    one("tbody", table).append(...rows);
    filter();
  };

  if (table) {
    const form = one("#filters");
    form.addEventListener("input", filter);
    one("#more").addEventListener("click", () => { limit = Infinity; filter(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    all("[data-by]", table).forEach((button) => button.addEventListener("click", () => sort(button)));
    all("[data-only]").forEach((button) => button.addEventListener("click", () => {
      const choice = one("#by-verdict"), wanted = button.dataset.only;
      const possible = all("option", choice).some((option) => option.value === wanted);
      choice.value = !possible || choice.value === wanted ? "" : wanted;
      filter();
    }));
    filter();
  }

  // --- decisions: what is accepted and refused becomes a list of commands; the page itself changes nothing --------
  const decided = new Map(); // by number of the case
  const rowOf = (place) => rows.find((row) => row.dataset.place === place);
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`; // one argument of a shell
  const list = () => {
    const reason = one("#reason").value.trim();
    const command = ([place, word]) => {
      const data = rowOf(place).dataset;
      if (word === "refuse") return data.refuse;
      return data.accept + (reason ? ` --reason ${quoted(reason)}` : "reason" in data ? " --reason '<why>'" : "");
    };
    const taken = [...decided].sort((a, b) => a[0] - b[0]);
    const accepted = taken.filter((each) => each[1] === "accept").length;
    one("#decided").hidden = !taken.length;
    one("#decided code").textContent = taken.map(command).join("\n");
    one("#decisions").textContent = `${accepted} accepted, ${taken.length - accepted} refused.`;
    for (const button of all("[data-decide]"))
      button.setAttribute("aria-pressed", decided.get(button.dataset.case) === button.dataset.decide);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-decide]");
    if (!button) return;
    const { case: place, decide } = button.dataset;
    if (decided.get(place) === decide) decided.delete(place);
    else decided.set(place, decide);
    list();
  });
  one("#reason").addEventListener("input", list);
  one("#decided [data-do=copy]").addEventListener("click", (event) => copy(event.target));

  // --- a case ------------------------------------------------------------------------------------------------------
  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };

  let came = null;
  const show = async () => {
    const wanted = /^#case-(\d+)$/.exec(location.hash);
    const packed = wanted && document.getElementById(`packed-${wanted[1]}`);
    if (!packed) {
      panel.hidden = true;
      overview.hidden = false;
      panel.replaceChildren();
      if (came) one(`a[href="${came}"]`)?.focus();
      came = null;
      return;
    }
    panel.innerHTML = await unpacked(packed.textContent); // ours, and escaped when it was written
    came = location.hash;
    overview.hidden = true;
    panel.hidden = false;
    panel.dataset.shown = wanted[1];
    for (const view of all(".view", panel)) {
      const drawing = one("svg", view);
      view.full = [Number(drawing.getAttribute("width")), Number(drawing.getAttribute("height"))];
    }
    list();
    fit(LEGIBLE);
    window.scrollTo(0, 0);
    one("h2", panel).focus();
  };

  // --- its picture -------------------------------------------------------------------------------------------------
  let scale = 1;
  const zoom = (wanted) => {
    scale = Math.min(4, Math.max(0.08, wanted));
    for (const view of all(".view", panel)) {
      const drawing = one("svg", view);
      drawing.setAttribute("width", Math.round(view.full[0] * scale));
      drawing.setAttribute("height", Math.round(view.full[1] * scale));
    }
  };
  const LEGIBLE = 0.6; // below this scale the text of a picture cannot be read: it is scrolled instead
  const fit = (least) => {
    const canvas = one(".canvas", panel), view = all(".view", panel).find((each) => !each.hidden);
    if (view) zoom(Math.min(1, Math.max(least, (canvas.clientWidth - 2) / view.full[0])));
  };

  const light = (box) => {
    for (const lit of all(".lit", panel)) lit.classList.remove("lit");
    if (!box) return;
    const meant = new Set([box.dataset.key, ...(box.dataset.kin || "").split(" ")]);
    for (const other of all(".box", box.ownerSVGElement)) if (meant.has(other.dataset.key)) other.classList.add("lit");
  };

  const step = (box, key) => {
    const side = box.closest(".side"), own = all(".box", side);
    if (key === "ArrowDown") return own[own.indexOf(box) + 1];
    if (key === "ArrowUp") return own[own.indexOf(box) - 1];
    const wanted = key === "ArrowRight" ? "candidate" : "golden";
    if (side.dataset.side === wanted) return null;
    const meant = [box.dataset.key, ...(box.dataset.kin || "").split(" ")];
    const others = all(`.side[data-side=${wanted}] .box`, box.ownerSVGElement);
    return others.find((other) => meant.includes(other.dataset.key));
  };

  const copy = async (button) => {
    const command = one("code", button.parentElement) || one("code", button.closest("section"));
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command);
      button.textContent = "Selected";
    }
  };

  const actions = {
    in: () => zoom(scale * 1.25), out: () => zoom(scale / 1.25), fit: () => fit(0), full: () => zoom(1), copy,
    next: () => go(1), previous: () => go(-1),
  };

  const SHOWN = ".view:not([hidden])";
  const look = (name) => {
    for (const view of all(".view", panel)) view.hidden = view.dataset.view !== name;
    for (const button of all("[data-look]", panel)) button.setAttribute("aria-pressed", button.dataset.look === name);
    fit(LEGIBLE);
  };
  const reach = (box) => {
    const canvas = one(".canvas", panel), frame = canvas.getBoundingClientRect(), place = box.getBoundingClientRect();
    box.focus({ preventScroll: true });
    canvas.scrollBy(
      (place.left + place.right - frame.left - frame.right) / 2, (place.top + place.bottom - frame.top - frame.bottom) / 2);
    canvas.scrollIntoView({ block: "nearest" });
  };
  const open = (box) => {
    const side = `${SHOWN} .side[data-side=${box.closest(".side").dataset.side}]`;
    const inside = box.matches(".group") ? `[data-key="${box.dataset.key}"]` : `[data-within="${box.dataset.opens}"]`;
    look(box.dataset.opens);
    const first = one(`${side} ${inside}`, panel);
    if (first) reach(first);
    else one(".canvas", panel).focus();
  };
  const go = (way) => {
    const boxes = all(`${SHOWN} [data-change]`, panel), last = Math.max(...boxes.map((box) => box.dataset.change));
    const now = one(`${SHOWN} .box:focus`, panel) || one(`${SHOWN} .box.lit`, panel);
    const at = now && now.dataset.change ? Number(now.dataset.change) : way > 0 ? -1 : last + 1;
    const wanted = (at + way + last + 1) % (last + 1);
    const box = boxes.find((each) => Number(each.dataset.change) === wanted);
    if (!box) return;
    reach(box);
    one(".at", panel).textContent = `${wanted + 1} of ${last + 1}`;
  };
  panel.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]"), view = event.target.closest("[data-look]");
    if (button) actions[button.dataset.do](button);
    if (view) look(view.dataset.look);
    const box = event.target.closest(".box");
    if (box && box.dataset.opens) open(box);
    else if (box) box.focus();
  });
  panel.addEventListener("pointerover", (event) => {
    const box = event.target.closest(".box");
    if (box) light(box);
    else if (event.target.closest(".canvas") && !one(".box:focus", panel)) light(null);
  });
  panel.addEventListener("focusin", (event) => light(event.target.closest(".box")));
  panel.addEventListener("keydown", (event) => {
    const canvas = event.target.closest(".canvas");
    if (event.key === "Escape") location.hash = "#overview";
    if (!canvas || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(scale * 1.25);
    else if (event.key === "-") zoom(scale / 1.25);
    else if (event.key === "0") fit(0);
    else if (event.key === "n") go(1);
    else if (event.key === "p") go(-1);
    else if (event.key === "Enter" && event.target.dataset.opens) open(event.target);
    else if (event.key.startsWith("Arrow")) {
      const box = event.target.closest(".box");
      const next = box ? step(box, event.key) : one(`${SHOWN} .box`, canvas);
      if (next) next.focus();
    } else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", show);
  if (rows.length === 1 && !location.hash) location.replace("#case-0"); // a table of one case says nothing more
  show();
})();
