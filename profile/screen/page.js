// Sends what the person does in the picture to the browser that it shows, one thing after the other.
const token = new URL(import.meta.url).searchParams.get('token');
const at = path => path + '?token=' + token;
const page = document.getElementById('page'), picture = document.getElementById('picture'), url = document.getElementById('url');
let last = Promise.resolve();
const tell = message => last = last.then(() => fetch(at('/input'), {method: 'POST', body: JSON.stringify(message)})).catch(() => {});
const place = e => {
  const r = picture.getBoundingClientRect();
  return {X: (e.clientX - r.left) / r.width, Y: (e.clientY - r.top) / r.height};
};
addEventListener('load', async () => {
  for (let had = ''; !page.hidden;) {
    try {
      const answer = await fetch(at('/picture') + '&had=' + had);
      had = answer.headers.get('Picture');
      const before = picture.src;
      picture.src = URL.createObjectURL(await answer.blob());
      URL.revokeObjectURL(before);
    } catch {
      await new Promise(again => setTimeout(again, 1000));
    }
  }
});
let moved = 0;
page.addEventListener('pointerdown', e => { e.preventDefault(); page.focus(); tell({Do: 'down', ...place(e)}) });
page.addEventListener('pointerup', e => { e.preventDefault(); tell({Do: 'up', ...place(e)}) });
page.addEventListener('pointermove', e => { if (e.timeStamp - moved > 100) { moved = e.timeStamp; tell({Do: 'move', ...place(e)}) } });
page.addEventListener('wheel', e => { e.preventDefault(); tell({Do: 'wheel', X: e.deltaX, Y: e.deltaY}) }, {passive: false});
page.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.key === 'Process') return;
  if (e.key === 'Tab' && e.shiftKey) return; // the way out of the picture
  if ([...e.key].length === 1) tell({Do: 'text', Text: e.key});
  else tell({Do: 'key', Text: e.key});
  e.preventDefault();
});
page.addEventListener('paste', e => { e.preventDefault(); tell({Do: 'text', Text: e.clipboardData.getData('text')}) });
document.getElementById('to').addEventListener('submit', e => { e.preventDefault(); tell({Do: 'go', Text: url.value}) });
document.getElementById('done').addEventListener('click', async () => {
  await last;
  await fetch(at('/done'), {method: 'POST'});
  document.getElementById('ended').hidden = false;
  page.hidden = true;
});
setInterval(async () => {
  if (document.activeElement === url || page.hidden) return;
  try { url.value = await (await fetch(at('/at'))).text() } catch {}
}, 1000);
