// SPDX-License-Identifier: LGPL-2.1-or-later
// The search, the menu of narrow windows, and the copying of code.
(function () {
  "use strict";
  const root = document.body.dataset.root;
  const input = document.getElementById("ui-search"), hits = document.getElementById("ui-hits");
  const KINDS = { component: 40, page: 30, field: 12, section: 10, scene: 6 };
  let loading = null, selected = -1;

  // the index is a script: a page that was opened from a disk cannot read other files
  function index() {
    loading = loading || new Promise(function (resolve, reject) {
      if (window.csofaIndex) { resolve(window.csofaIndex); return; }
      const script = document.createElement("script");
      script.src = root + "search-index.js";
      script.onload = function () { resolve(window.csofaIndex); };
      script.onerror = reject;
      document.head.appendChild(script);
    });
    return loading;
  }

  // every word has to be somewhere; titles count most
  function score(row, words) {
    const title = row[0].toLowerCase(), where = row[4].toLowerCase(), text = row[3].toLowerCase() + " " + where;
    let sum = KINDS[row[2]] || 0;
    for (const word of words) {
      if (title === word) sum += 200;
      else if (title.startsWith(word)) sum += 100;
      else if (title.includes(word)) sum += 60;
      else if (where.startsWith(word)) sum += 30;
      else if (text.includes(word)) sum += 10;
      else return 0;
    }
    return sum - title.length / 10;
  }

  function find(rows, query, most) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return rows.map(row => [score(row, words), row]).filter(pair => pair[0] > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, most).map(pair => pair[1]);
  }

  function snippet(text, query) {
    const word = query.toLowerCase().split(/\s+/).find(w => w && text.toLowerCase().includes(w));
    const at = word ? text.toLowerCase().indexOf(word) : 0, from = Math.max(0, at - 60);
    return (from ? "…" : "") + text.slice(from, from + 180) + (text.length > from + 180 ? "…" : "");
  }

  // a link with the words of the query marked; all text goes in as text
  function marked(parent, text, query) {
    const words = query.split(/\s+/).filter(Boolean).map(w => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const parts = words.length ? text.split(new RegExp("(" + words.join("|") + ")", "i")) : [text];
    parts.forEach(function (part, i) {
      const node = i % 2 ? document.createElement("mark") : document.createTextNode(part);
      if (i % 2) node.textContent = part;
      parent.appendChild(node);
    });
  }

  function hit(row, query) {
    const link = document.createElement("a");
    link.className = "hit";
    link.href = root + row[1];
    link.setAttribute("role", "option");
    const title = document.createElement("b"), where = document.createElement("small"), text = document.createElement("span");
    marked(title, row[0], query);
    where.textContent = "  " + row[2] + (row[4] ? " · " + row[4] : "");
    text.className = "text";
    marked(text, snippet(row[3], query), query);
    link.append(title, where, text);
    return link;
  }

  function choose(i) {
    const links = hits.querySelectorAll(".hit");
    if (!links.length) return;
    selected = (i + links.length) % links.length;
    links.forEach((link, k) => link.setAttribute("aria-selected", String(k === selected)));
    links[selected].scrollIntoView({ block: "nearest" });
  }

  function show(open) {
    hits.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
  }

  function suggest() {
    const query = input.value;
    if (!query.trim()) { show(false); return; }
    index().then(function (rows) {
      if (query !== input.value) return;
      hits.replaceChildren(...find(rows, query, 12).map(row => hit(row, query)));
      selected = -1;
      show(hits.childElementCount > 0);
    });
  }

  input.addEventListener("input", suggest);
  input.addEventListener("focus", suggest);
  input.addEventListener("keydown", function (event) {
    if (event.key === "ArrowDown") { choose(selected + 1); event.preventDefault(); }
    if (event.key === "ArrowUp") { choose(selected - 1); event.preventDefault(); }
    if (event.key === "Escape") { show(false); input.blur(); }
    if (event.key === "Enter" && selected >= 0) {
      event.preventDefault();
      location.href = hits.querySelectorAll(".hit")[selected].href;
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("click", event => { if (!event.target.closest("form[role=search]")) show(false); });

  // search.html?q=words
  const results = document.getElementById("ui-results");
  if (results) {
    const query = new URLSearchParams(location.search).get("q") || "";
    const count = document.getElementById("ui-count");
    input.value = query;
    count.textContent = "Type words above: pages, components, fields and scenes are searched.";
    if (query) index().then(function (rows) {
      const found = find(rows, query, 200);
      count.textContent = found.length + (found.length === 200 ? " or more" : "") + " for “" + query + "”";
      results.replaceChildren(...found.map(row => hit(row, query)));
    });
  }

  const menu = document.getElementById("ui-menu");
  menu.addEventListener("click", function () {
    const open = document.getElementById("ui-navigation").classList.toggle("open");
    menu.setAttribute("aria-expanded", String(open));
  });

  // the section that is read is marked in the table of contents
  const links = new Map([...document.querySelectorAll(".toc a")].map(a => [decodeURIComponent(a.hash.slice(1)), a]));
  if (links.size && window.IntersectionObserver) {
    const observer = new IntersectionObserver(function (entries) {
      for (const entry of entries) if (entry.isIntersecting) {
        links.forEach(a => a.classList.remove("here"));
        links.get(entry.target.id).classList.add("here");
      }
    }, { rootMargin: "-60px 0px -75% 0px" });
    links.forEach((_, id) => { const heading = document.getElementById(id); if (heading) observer.observe(heading); });
  }

  if (navigator.clipboard) document.querySelectorAll(".code").forEach(function (box) {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(box.querySelector("code").innerText).then(() => { button.textContent = "copied"; });
    });
    box.appendChild(button);
  });
})();
