// Draws the page anew every two seconds while it is looked at: the server writes it, in the reader's language.
setInterval(async () => {
  if (document.hidden) return;
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    document.getElementById("live").replaceWith(page.getElementById("live"));
  } catch {
    document.getElementById("live").classList.add("gone"); // the crawl has ended
  }
}, 2000);
