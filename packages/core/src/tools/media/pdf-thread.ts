/**
 * Source of the PDF thread (see run-isolated): counts pages and extracts the text of some, asked one by one
 * until `maxBytes` are collected. workerData: bytes; ranges (pairs of page numbers); maxPages; maxBytes.
 */
export const pdfThread = String.raw`
const { parentPort, workerData } = require('node:worker_threads');

async function textOf(page) {
  const { items } = await page.getTextContent();
  let text = '';
  for (const item of items) {
    if (typeof item.str !== 'string') continue;
    text += item.str + (item.hasEOL ? '\n' : '');
  }
  return text.split('\n').map((line) => line.trimEnd()).join('\n').trim();
}

function* wantedPages(total) {
  const seen = new Set();
  for (const [first, last] of workerData.ranges) {
    for (let page = first; page <= Math.min(last, total); page += 1) {
      if (!seen.has(page)) yield page;
      seen.add(page);
    }
  }
}

(async () => {
  const { getDocumentProxy } = await import(workerData.library);
  let document;
  try {
    document = await getDocumentProxy(workerData.bytes, { verbosity: 0 });
  } catch (error) {
    parentPort.postMessage({ kind: error && error.name === 'PasswordException' ? 'encrypted' : 'damaged' });
    return;
  }
  const total = document.numPages;
  const pages = [];
  let bytes = 0;
  for (const number of wantedPages(total)) {
    if (pages.length === workerData.maxPages) break;
    let page;
    try {
      page = { number, text: await textOf(await document.getPage(number)), damaged: false };
    } catch {
      page = { number, text: '', damaged: true };
    }
    bytes += Buffer.byteLength(page.text) + 32;
    if (bytes > workerData.maxBytes && pages.length > 0) break;
    pages.push(page);
  }
  parentPort.postMessage({ kind: 'read', total, pages });
})();
`;
