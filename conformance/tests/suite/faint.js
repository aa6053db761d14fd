// Counts the texts of a page that are to be seen, and lists those that stand out from their ground by less than 4.5 to 1.
(() => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  let seen = 0;
  for (const one of document.querySelectorAll("body *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue;
    if (!one.checkVisibility() || ["SCRIPT", "OPTION", "TITLE"].includes(one.tagName.toUpperCase())) continue;
    if (one.closest(":disabled")) continue;
    const style = getComputedStyle(one);
    const ink = rgba(one instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(one))].sort((a, b) => b - a);
    const ratio = (a + 0.05) / (b + 0.05);
    seen += 1;
    if (ratio < 4.5) faint.add(`${one.tagName} ${one.className.baseVal ?? one.className} ${ratio.toFixed(2)}: ${one.textContent.slice(0, 40)}`);
  }
  return { seen, faint: [...faint] };
})()
