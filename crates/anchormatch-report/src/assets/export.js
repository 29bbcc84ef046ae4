// The picture as SVG or PNG, as it is shown, and the pairs as CSV: made here, sent nowhere.
(() => {
  "use strict";
  const svg = document.getElementById("picture");
  const readout = document.getElementById("readout");
  const STYLES = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor", "vector-effect",
  ];
  // Canvases have limits, and browsers do not say which.
  const MOST_PIXELS = 8192;

  function save(blob, ending) {
    const link = document.createElement("a");
    const name = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
    link.href = URL.createObjectURL(blob);
    link.download = `${name || "match"}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A copy that carries its styles with it, without what is hidden.
  function standalone() {
    const copy = svg.cloneNode(true);
    const lost = [];
    const copies = copy.querySelectorAll("*");
    svg.querySelectorAll("*").forEach((element, k) => {
      if (element.localName === "title") return;
      const style = getComputedStyle(element);
      if (style.display === "none") lost.push(copies[k]);
      for (const name of STYLES) copies[k].setAttribute(name, style.getPropertyValue(name));
      for (const name of ["class", "hidden"]) copies[k].removeAttribute(name);
    });
    for (const element of lost) element.remove();
    const { x, y, width, height } = svg.viewBox.baseVal;
    const whole = svg.getBoundingClientRect();
    const wide = Math.max(1200, Math.round(whole.width));
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(wide));
    copy.setAttribute("height", String(Math.round((wide * height) / width)));
    for (const name of ["id", "class", "tabindex", "data-dragged"]) copy.removeAttribute(name);
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const place = { x, y, width, height, fill: getComputedStyle(svg.closest("section")).backgroundColor };
    for (const [name, value] of Object.entries(place)) ground.setAttribute(name, String(value));
    copy.prepend(ground);
    return copy;
  }

  const written = (copy) => new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml;charset=utf-8" });

  function png() {
    const copy = standalone();
    const [wide, high] = ["width", "height"].map((name) => Number(copy.getAttribute(name)));
    const scale = Math.min(2, MOST_PIXELS / Math.max(wide, high));
    const address = URL.createObjectURL(written(copy));
    const failed = () => {
      readout.textContent = "This browser could not draw the picture; the SVG has all of it.";
    };
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(wide * scale);
      canvas.height = Math.round(high * scale);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      try {
        canvas.toBlob((blob) => (blob ? save(blob, "png") : failed()), "image/png");
      } catch {
        failed();
      }
    };
    image.onerror = failed;
    image.src = address;
  }

  const field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function csv() {
    const rows = document.querySelectorAll("[data-run]:not([hidden]) table.pairs tbody tr:not([hidden]):not(.below)");
    const list = Array.from(rows, (row) => {
      const [source, target, confidence] = row.cells;
      return [source.textContent, target.textContent, confidence.dataset.v ?? ""].map(field).join(",");
    });
    save(new Blob([["source,target,confidence", ...list, ""].join("\n")], { type: "text/csv;charset=utf-8" }), "csv");
  }

  const ways = { svg: () => save(written(standalone()), "svg"), png, csv };
  for (const button of document.querySelectorAll("[data-export]")) {
    button.addEventListener("click", ways[button.dataset.export]);
  }
})();
