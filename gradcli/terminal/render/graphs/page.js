/* Lights the path of a box both ways, finds boxes, and links them to the lines of the source. A graph opens fitted to its
place; it is zoomed by the buttons, the keys + and -, and the wheel with Ctrl, around what is in the middle. */
'use strict';
(function () {
  var all = function (query) { return Array.prototype.slice.call(document.querySelectorAll(query)); };
  var boxes = all('.graph .box[id]'), uses = all('.graph .use'), lines = all('.program li[data-line]');
  var rows = all('tbody tr'), graph = document.querySelector('.graph'), find = document.getElementById('find');
  var count = document.getElementById('count'), up = {}, down = {}, held = null, at = -1, found = [];
  uses.forEach(function (use) {
    var from = use.dataset.from, to = use.dataset.to;
    (up[to] = up[to] || []).push(from); (down[from] = down[from] || []).push(to);
  });
  function reach(start, steps) {
    var seen = new Set([start]), open = [start];
    while (open.length) (steps[open.pop()] || []).forEach(function (next) {
      if (!seen.has(next)) { seen.add(next); open.push(next); }
    });
    return seen;
  }
  function show(ids) {
    var before = new Set(), after = new Set();
    ids.forEach(function (id) {
      reach(id, up).forEach(function (each) { before.add(each); });
      reach(id, down).forEach(function (each) { after.add(each); });
    });
    graph.classList.toggle('lit', ids.length > 0);
    boxes.forEach(function (box) {
      box.classList.toggle('on', before.has(box.id) || after.has(box.id));
      box.classList.toggle('at', ids.indexOf(box.id) >= 0);
    });
    uses.forEach(function (use) {
      var from = use.dataset.from, to = use.dataset.to;
      use.classList.toggle('on', (before.has(from) && before.has(to)) || (after.has(from) && after.has(to)));
    });
    var told = new Set(boxes.filter(function (box) { return ids.indexOf(box.id) >= 0; }).map(function (box) {
      return box.dataset.line; }));
    lines.forEach(function (line) { line.classList.toggle('at', told.has(line.dataset.line)); });
    rows.forEach(function (row) { row.classList.toggle('at', ids.indexOf(row.dataset.box) >= 0); });
  }
  var picture = document.querySelector('.graph svg'), size = picture.viewBox.baseVal, scale = 1, fitted = true;
  function zoom(to, x, y) {
    var frame = graph.getBoundingClientRect();
    x = x === undefined ? frame.width / 2 : x - frame.left; y = y === undefined ? frame.height / 2 : y - frame.top;
    var across = (graph.scrollLeft + x) / scale, down = (graph.scrollTop + y) / scale;
    scale = Math.min(4, Math.max(0.05, to));
    picture.style.width = size.width * scale + 'px';
    graph.scrollLeft = across * scale - x; graph.scrollTop = down * scale - y;
  }
  function fit() {
    var room = window.innerHeight - 24 - (getComputedStyle(graph).position === 'sticky' ? 0 : 120);
    zoom(Math.min(1, graph.clientWidth / size.width, room / size.height)); fitted = true;
  }
  function step(by) { fitted = false; zoom(scale * by); }
  if (boxes.length) { fit(); window.addEventListener('resize', function () { if (fitted) fit(); }); }
  all('.zoom button').forEach(function (button) {
    button.addEventListener('click', function () {
      if (button.dataset.by === '0') fit(); else if (button.dataset.by === '1') { fitted = false; zoom(1); }
      else step(+button.dataset.by); }); });
  graph.addEventListener('wheel', function (event) {
    if (!event.ctrlKey) return;
    event.preventDefault(); fitted = false;
    zoom(scale * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, {passive: false});
  function rest() { show(held || []); }
  function of(line) {
    return boxes.filter(function (box) { return box.dataset.line === line; }).map(function (box) { return box.id; });
  }
  function listen(item, ids) {
    item.addEventListener('mouseenter', function () { show(ids()); });
    item.addEventListener('mouseleave', rest);
    item.addEventListener('focus', function () { show(ids()); });
    item.addEventListener('blur', rest);
    item.addEventListener('click', function () { held = held ? null : ids(); rest(); });
  }
  boxes.forEach(function (box) { listen(box, function () { return [box.id]; }); });
  lines.forEach(function (line) { listen(line, function () { return of(line.dataset.line); }); });
  rows.forEach(function (row) { listen(row, function () { return [row.dataset.box]; }); });
  function words(box) { return box.textContent.toLowerCase(); }
  find.addEventListener('input', function () {
    var text = find.value.trim().toLowerCase();
    found = text ? boxes.filter(function (box) { return words(box).indexOf(text) >= 0; }) : [];
    at = -1; held = null;
    count.textContent = text ? found.length + ' of ' + boxes.length + ' boxes; Enter goes to the next' : '';
    graph.classList.toggle('lit', text !== '');
    boxes.forEach(function (box) {
      box.classList.toggle('on', found.indexOf(box) >= 0); box.classList.toggle('at', found.indexOf(box) >= 0); });
    uses.forEach(function (use) { use.classList.remove('on'); });
    rows.forEach(function (row) { row.hidden = text !== '' && row.textContent.toLowerCase().indexOf(text) < 0; });
  });
  find.addEventListener('keydown', function (event) {
    if (event.key !== 'Enter' || !found.length) return;
    at = (at + 1) % found.length;
    found[at].scrollIntoView({block: 'center', inline: 'center'});
    show([found[at].id]);
    count.textContent = (at + 1) + ' of ' + found.length + ': ' + found[at].querySelector('title').textContent;
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== find) { event.preventDefault(); find.focus(); find.select(); }
    if (document.activeElement !== find && !event.ctrlKey && !event.metaKey) {
      if (event.key === '+') step(1.25); else if (event.key === '-') step(0.8); else if (event.key === '0') fit(); }
    if (event.key === 'Escape') {
      held = null; find.value = ''; find.dispatchEvent(new Event('input')); document.activeElement.blur(); show([]); }
  });
})();
