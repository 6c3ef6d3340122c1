"use strict";
// The list of runs, asked for again and again: rarely where that takes long, and not while somebody moves in it by keys.
const look = async () => {
  const began = performance.now();
  if (!document.hidden) {
    try {
      const text = await (await fetch("/")).text();
      const now = new DOMParser().parseFromString(text, "text/html");
      for (const id of ["runs", "begun"]) {
        const old = $(id), fresh = now.getElementById(id);
        if (old && fresh && old.innerHTML !== fresh.innerHTML && !old.contains(document.activeElement)) old.replaceWith(fresh);
      }
    } catch { /* the server is gone: it may come back */ }
  }
  setTimeout(look, Math.max(5000, 200 * (performance.now() - began)));
};
setTimeout(look, 5000);
