// This script acts on a page as the rules of packs say (behaviours.go). It runs in a world of its own: it shares the
// page's elements, and none of its variables, so that the page can neither see nor break it. The crawl calls
//
//   kavosh.begin(rules, never)  once
//   kavosh.act(requests)        for each act; so many requests unlike any before came since the last. null: there is nothing to do now
//   kavosh.end()                in the end: what was done, and which addresses the page showed meanwhile
//
// Nothing here waits and nothing loops without a bound; the crawl waits between two acts, and ends a call that takes too
// long. Of all rules, the first that finds something acts, so that what a tab shows is opened before the next tab is.
'use strict';
(() => {
  const mostElements = 50000, mostSeen = 5000, mostURL = 2000, mostLabel = 60, mostText = 300, mostRoots = 200, mostLeft = 3, mostLazy = 500;

  let states = [], never = { say: () => false, names: new Set(), ask: new Set() };
  let roots = [], scrollers = [], count = 0, most = 0, news = 0, last = null, at = 0, place = '', entries = 0, left = 0, lazy = 0, first = '', away = false, clicked = false;
  const seen = new Map(); // address → 'link' or 'part'
  const done = new WeakMap(); // element → states that are through with it
  const tamed = new WeakSet(); // windows whose forms are not sent
  const pressed = new WeakSet(); // elements that were clicked

  const is = (e, name) => e.localName === name;
  const matches = (e, selectors) => selectors.some(s => { try { return e.matches(s) } catch { return false } });
  const through = (s, e) => done.get(e)?.has(s);
  const finish = (s, e) => { if (!done.has(e)) done.set(e, new Set()); done.get(e).add(s) };

  // fold gives words one form: lower case, without marks that are not seen, Arabic letters as Persian writes them.
  const fold = text => text.normalize('NFKC').toLowerCase().replace(/[\u064a\u0649]/g, '\u06cc').replace(/\u0643/g, '\u06a9')
    .replace(/[\u200c\u200d\u200e\u200f\u00ad]+/g, ' ').replace(/['’]/g, "'").replace(/\s+/g, ' ').trim();

  // finder returns a function that tells whether a text has one of the words, whole; scripts without spaces have no borders.
  const finder = words => {
    if (!words.length) return () => false;
    const free = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
    const parts = words.map(fold).map(w => {
      const text = w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return free.test(w) ? text : `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`;
    });
    const found = new RegExp(parts.join('|'), 'u');
    return text => found.test(text);
  };

  // labels are the texts by which a person knows what an element does.
  const labels = e => {
    const all = [e.textContent.slice(0, mostText)];
    for (const name of ['aria-label', 'title', 'value', 'alt', 'data-title', 'data-tooltip']) all.push(e.getAttribute(name)?.slice(0, mostText) ?? '');
    for (const id of (e.getAttribute('aria-labelledby') ?? '').split(/\s+/).slice(0, 3)) {
      if (id) all.push(e.getRootNode().getElementById?.(id)?.textContent.slice(0, mostText) ?? '');
    }
    const picture = e.querySelector('img[alt], svg[aria-label], svg title');
    if (picture) all.push(picture.getAttribute('alt') ?? picture.getAttribute('aria-label') ?? picture.textContent.slice(0, mostText));
    return all.filter(text => text).map(fold).filter(text => text);
  };

  // visible tells whether a person could see it, perhaps after scrolling.
  const visible = e => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && e.checkVisibility({ visibilityProperty: true });
  };

  const parent = e => e.parentElement ?? e.getRootNode().host ?? null;

  // leads tells whether a link leads to another document, or out of the browser.
  const leads = a => {
    const to = a.getAttribute('href') ?? a.getAttribute('xlink:href');
    if (to === null) return false;
    if (/^\s*(#|$)/.test(to)) return false;
    if (/^\s*javascript:/i.test(to)) return !/^\s*javascript:\s*(void\s*\(?\s*(0|'[^'()]*'|"[^"()]*")?\s*\)?|\/\/)?\s*;?\s*$/i.test(to);
    try {
      const url = new URL(to, a.baseURI), here = new URL(a.ownerDocument.URL);
      const hash = url.hash;
      url.hash = here.hash = '';
      return url.href !== here.href || hash === '';
    } catch {
      return true;
    }
  };

  // opens tells whether a link bears the sign of a menu: where a script opens one, it leads to the same for who has no scripts.
  const opens = a => /^[\u2630\u2261\u22ee\u22ef]$/.test(a.textContent.slice(0, mostText).trim()); // ☰ ≡ ⋮ ⋯

  // route gives the fragment to which a link leads if nothing in the page has its name: then a script shows something for it.
  // A fragment whose last part is the name of what is never done, as #like and #/42/remove, is no route. names gives the
  // names in the page, which are not looked for link by link.
  const route = (a, names) => {
    if (!a.hash || a.hash.length < 2 || a.href.split('#')[0] !== location.href.split('#')[0]) return '';
    let name = a.hash.slice(1);
    try { name = decodeURIComponent(name) } catch { /* as it is */ }
    if (/^top$/i.test(name) || document.getElementById(name) || names().has(name)) return '';
    const part = name.split('?')[0].split('/').findLast(part => part) ?? '';
    return never.names.has(fold(part.slice(0, mostText).replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_+.!]+/g, ' '))) ? '' : a.hash;
  };

  // acts tells whether a name in code, such as btnSignOut, has an act that is never done.
  const acts = name => {
    const words = name.slice(0, 1000).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z0-9]+/).filter(w => w);
    return words.some((w, i) => never.ask.has(w) || never.ask.has(w + words[i + 1]) || never.ask.has(w + words[i + 1] + words[i + 2]));
  };

  // coded tells whether an element's code, by its attributes, does what is never done.
  const coded = e => [...e.attributes].some(({ name, value }) => !/^(aria-label|title|alt|style|d)$/.test(name) && acts(value));

  // called tells whether an element says that it does what is never done. A question that unfolds its answer may speak of
  // anything.
  const called = e => {
    const question = (e.hasAttribute('aria-expanded') || e.hasAttribute('aria-controls')) && /[?؟？]$/.test(fold(e.textContent.slice(0, mostText)));
    return !question && labels(e).some(text => never.say(text));
  };

  // safe tells whether an element may be clicked: it sends no form, follows no link (tame holds that of a menu), loads nothing
  // down, is nothing to write or choose in, and neither it nor what a click on it passes through does what is never done.
  const safe = e => {
    if (!visible(e) || e.disabled || e.getAttribute('aria-disabled') === 'true' || e.isContentEditable) return false;
    if (/^(input|select|textarea|label|option|form|object|embed|iframe)$/.test(e.localName)) {
      if (!is(e, 'input') || e.type !== 'button') return false;
    }
    if (/^(combobox|listbox|option|checkbox|radio|switch|slider|spinbutton|textbox|searchbox)$/.test(e.getAttribute('role') ?? '')) return false;
    for (let n = e, depth = 0; n && depth < 40; n = parent(n), depth++) {
      if ((is(n, 'a') || is(n, 'area')) && (leads(n) && !(n === e && opens(n)) || n.hasAttribute('download'))) return false;
      if (is(n, 'button') && (n.type === 'submit' || n.type === 'reset') && n.form) return false;
      if (is(n, 'label')) return false;
      const button = n === e || is(n, 'a') || is(n, 'button') || n.getAttribute('role') === 'button';
      if ((button || n.hasAttribute('onclick')) && coded(n) || button && called(n)) return false;
    }
    return true;
  };

  // tame keeps a window's forms from being sent and its links from being followed, whoever clicks them.
  const tame = w => {
    if (tamed.has(w)) return;
    tamed.add(w);
    w.addEventListener('submit', e => { e.preventDefault(); e.stopImmediatePropagation() }, true);
    w.addEventListener('click', e => {
      for (const n of e.composedPath().slice(0, 40)) {
        if (n.localName === 'a' && (leads(n) || n.hasAttribute('download'))) e.preventDefault();
        if ((n.localName === 'button' || n.localName === 'input') && /^(submit|image|reset)$/.test(n.type) && n.form) e.preventDefault();
      }
    }, true);
  };

  const see = (url, kind) => {
    if (typeof url !== 'string' || !/^https?:/.test(url) || url.length > mostURL || seen.size >= mostSeen || seen.has(url)) return;
    seen.set(url, kind);
    news++;
  };

  // survey walks through the page, with open shadow roots and frames of the same origin: it notes addresses and what scrolls,
  // and makes what is lazy load now, up to mostLazy. A page with more elements than ever before has something new.
  const survey = () => {
    roots = [document];
    scrollers = [];
    count = 0;
    for (let i = 0; i < roots.length && i < mostRoots; i++) {
      const root = roots[i];
      if (root.defaultView) {
        tame(root.defaultView);
        if (root.scrollingElement) scrollers.push(root.scrollingElement);
      }
      for (const e of root.querySelectorAll('*')) {
        if (++count > mostElements) break;
        if (e.shadowRoot) roots.push(e.shadowRoot);
        switch (e.localName) {
          case 'a': case 'area':
            see(e.href, 'link');
            break;
          case 'iframe': case 'frame':
            try { if (e.contentDocument?.body) roots.push(e.contentDocument) } catch { /* of another origin */ }
          case 'img':
            if (e.loading === 'lazy' && lazy++ < mostLazy) e.loading = 'eager';
          case 'video': case 'audio': case 'source': case 'embed':
            see(e.src, 'part');
            if (e.poster) see(e.poster, 'part');
            break;
          case 'div': case 'ul': case 'ol': case 'section': case 'main': case 'table': case 'tbody': case 'nav': case 'article': case 'aside':
            if (scrollers.length < 50 && (e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2) && e.clientHeight > 60 && e.clientWidth > 60) scrollers.push(e);
        }
      }
    }
    if (count > most) {
      if (most) news++;
      most = count;
    }
  };

  // hand tells whether the pointer becomes a hand over an element, and not already over what it lies in. What was clicked
  // before would only be closed again.
  const hand = e => {
    const shows = e => getComputedStyle(e).cursor === 'pointer', around = parent(e);
    return !pressed.has(e) && shows(e) && !(around && shows(around));
  };

  // find gives the elements that a rule is about.
  const find = function* (s) {
    for (const root of roots) {
      for (const selector of s.find) {
        let all = [];
        try { all = root.querySelectorAll(selector) } catch { /* checked when the pack was read, in another Chromium */ }
        for (const e of all) {
          if (through(s, e) || matches(e, s.not)) continue;
          if (!s.rule.hand || hand(e)) yield e;
          else finish(s, e); // it is asked once, as pages have many elements
        }
      }
    }
  };

  const says = (s, e) => !s.words || labels(e).some(text => text.length <= mostLabel && s.words(text));

  const fire = (e, kind, type, more) => {
    try { e.dispatchEvent(new kind(type, { bubbles: true, cancelable: true, composed: true, view: e.ownerDocument.defaultView, ...more })) } catch { /* no window */ }
  };

  // press clicks as a person does, for pages that wait for the pointer.
  const press = e => {
    pressed.add(e);
    let box = e.getBoundingClientRect();
    if (box.bottom > innerHeight || box.top < 0) {
      e.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      box = e.getBoundingClientRect();
    }
    const where = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, button: 0, detail: 1 };
    const pointer = { ...where, pointerId: 1, pointerType: 'mouse', isPrimary: true };
    fire(e, PointerEvent, 'pointerdown', { ...pointer, buttons: 1 });
    fire(e, MouseEvent, 'mousedown', { ...where, buttons: 1 });
    fire(e, PointerEvent, 'pointerup', pointer);
    fire(e, MouseEvent, 'mouseup', where);
    if (e.isConnected) e.click ? e.click() : fire(e, MouseEvent, 'click', where);
  };

  // inside tells whether one of boxes holds e, through shadow roots too.
  const inside = (e, boxes) => {
    for (let n = e, depth = 0; n && depth < 100; n = parent(n), depth++) if (boxes.has(n)) return true;
    return false;
  };

  // Each action does one thing for the rule of a state, and returns whether there was one.
  const actions = {
    scroll(s) {
      for (const e of scrollers) {
        if (!e.isConnected || e.clientHeight === 0) continue;
        const style = getComputedStyle(e), whole = e === e.ownerDocument.scrollingElement;
        for (const [now, size, view] of [['scrollTop', 'scrollHeight', 'clientHeight'], ['scrollLeft', 'scrollWidth', 'clientWidth']]) {
          const stuck = s.stuck.get(e) ?? {};
          if (Math.abs(e[now]) + e[view] >= e[size] - 2 || stuck[now] === e[size]) continue;
          if (!whole && !/auto|scroll/.test(now === 'scrollTop' ? style.overflowY : style.overflowX)) continue; // its script moves it
          const before = e[now], way = now === 'scrollLeft' && style.direction === 'rtl' ? -1 : 1;
          const step = way * Math.max(40, e[view]);
          e.scrollBy({ [now === 'scrollTop' ? 'top' : 'left']: step, behavior: 'instant' });
          if (e[now] !== before) return true;
          stuck[now] = e[size];
          s.stuck.set(e, stuck);
        }
      }
      return false;
    },
    open(s) {
      for (const e of find(s)) {
        finish(s, e);
        e.open = true;
        return true;
      }
      return false;
    },
    click(s) {
      if (s.mark !== null) s.idle = news === s.mark ? s.idle + 1 : 0;
      s.mark = null;
      if (s.idle >= s.rule.idle) s.over = true;
      for (const e of s.over ? [] : find(s)) {
        if (!says(s, e) || !safe(e)) continue;
        finish(s, e);
        s.mark = news;
        press(e);
        return true;
      }
      return false;
    },
    follow(s) {
      if (s.mark !== null) s.idle = news === s.mark ? s.idle + 1 : 0;
      s.mark = null;
      let all = null;
      const names = () => all ??= new Set([...document.querySelectorAll('[name]')].map(e => e.getAttribute('name')));
      for (const exact of s.idle >= s.rule.idle ? [] : [false, true]) { // first the pages, then parts and states of these
        for (const e of find(s)) {
          const to = route(e, names), page = to.split('?')[0];
          if (!to) finish(s, e);
          if (!to || s.followed.has(exact ? to : page) || !safe(e)) continue;
          s.followed.add(to).add(page);
          s.mark = news;
          away = true;
          press(e);
          return true;
        }
      }
      return home();
    },
    repeat(s) {
      for (const e of find(s)) {
        if (!says(s, e) || !safe(e)) continue;
        const before = s.pressed.get(e), idle = before?.news === news ? before.idle + 1 : 0;
        if (idle >= s.rule.idle) {
          finish(s, e);
          continue;
        }
        s.pressed.set(e, { news, idle });
        press(e);
        return true;
      }
      return false;
    },
    // A window that a click of ours opened is no banner: what it asks is not answered, not even by refusing; it is closed.
    dismiss(s) {
      const banners = new Set([...find(s)].filter(visible));
      for (const b of banners) {
        if (clicked && !s.met.has(b)) s.own.add(b);
        s.met.add(b);
      }
      clicked = false;
      if (!banners.size) return false;
      const buttons = [];
      for (const root of roots) {
        for (const e of root.querySelectorAll('button, a, [role=button], input[type=button], [onclick], [tabindex]')) {
          if (inside(e, banners) && !through(s, e) && safe(e)) buttons.push([e, labels(e)]);
        }
      }
      const step = s.steps[s.step];
      for (const [how, words = step] of s.ways) {
        for (const [e, texts] of buttons) {
          if (!words || how !== 'closed' && inside(e, s.own) || !texts.some(text => text.length <= mostLabel && words(text))) continue;
          finish(s, e);
          if (how === 'step') s.step++; // what it opens is still a banner
          else for (const b of banners) if (inside(e, new Set([b]))) finish(s, b);
          s.how[how] = (s.how[how] ?? 0) + 1;
          press(e);
          return true;
        }
      }
      return false;
    },
    hover(s) {
      for (const e of find(s)) {
        if (!visible(e)) continue;
        finish(s, e);
        for (const [kind, type] of [[PointerEvent, 'pointerover'], [PointerEvent, 'pointerenter'], [MouseEvent, 'mouseover'], [MouseEvent, 'mouseenter'], [MouseEvent, 'mousemove']]) {
          fire(e, kind, type, { bubbles: !type.endsWith('enter') });
        }
        return true;
      }
      return false;
    },
    play(s) {
      s.playing?.pause();
      s.playing = null;
      for (const e of find(s)) {
        finish(s, e);
        if (!e.play) continue;
        s.playing = e;
        e.muted = true;
        e.preload = 'auto';
        e.play().catch(() => {});
        return true;
      }
      return false;
    },
  };

  // wentOn takes the page back where a click let its script show another address, which is a link. It returns whether the
  // page is on its way.
  const wentOn = () => {
    const now = location.href.split('#')[0], longer = history.length > entries;
    entries = history.length;
    if (now === place) return false;
    see(location.href, 'link');
    if (longer && left++ < mostLeft) {
      history.back();
      return true;
    }
    place = now;
    return false;
  };

  // home goes back to what the page showed before routes were followed, and returns whether it was away.
  const home = () => {
    if (!away) return false;
    away = false;
    location.hash = first;
    return true;
  };

  globalThis.kavosh = {
    begin(rules, no) {
      never = { say: finder(no.say), names: new Set(no.say.map(fold)), ask: new Set(no.ask) };
      states = rules.map(rule => ({
        rule, find: rule.find ?? [], not: rule.not ?? [], times: 0, ms: 0, requests: 0, idle: 0, mark: null, over: false, stuck: new WeakMap(), pressed: new WeakMap(), met: new WeakSet(), own: new WeakSet(), how: {}, followed: new Set([location.hash, location.hash.split('?')[0]]),
        words: rule.say?.length && rule.do !== 'dismiss' ? finder(rule.say) : null,
        ways: [['refused', finder(rule.say ?? [])], ['closed', finder(rule.close ?? [])], ['step'], ['accepted', finder(rule.accept ?? [])]],
        steps: (rule.steps ?? []).map(finder), step: 0,
      }));
      place = location.href.split('#')[0];
      entries = history.length;
      first = location.hash;
    },
    act(requests) {
      if (last) {
        last.requests += requests;
        last.ms += performance.now() - at;
        at = performance.now();
      }
      if (requests > 0) news++;
      if (last && wentOn()) return 300;
      survey();
      for (const s of states) {
        if (s.over || s.times >= s.rule.times || s.requests >= s.rule.requests || s.ms >= s.rule.time) {
          if (s.rule.do === 'follow' && home()) return 300;
          continue;
        }
        last = s;
        at = performance.now();
        if (!actions[s.rule.do](s)) continue;
        clicked ||= /^(click|follow|repeat)$/.test(s.rule.do);
        s.times++;
        return s.rule.pause;
      }
      last = null;
      return null;
    },
    end() {
      for (const s of states) s.playing?.pause();
      survey();
      home();
      scrollTo({ top: 0, left: 0, behavior: 'instant' });
      return {
        acts: states.filter(s => s.times).map(s => ({ name: s.rule.name, times: s.times, how: s.how })),
        seen: [...seen].map(([url, kind]) => ({ url, part: kind === 'part' })),
      };
    },
  };
})();
