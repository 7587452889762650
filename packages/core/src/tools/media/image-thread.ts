/**
 * Source of the image thread (see run-isolated): decodes and, if asked, resizes, turns upright and encodes again.
 * workerData: bytes, or pixels with width and height; target {width, height} or null; orientation (EXIF);
 * encode (false: only check); preferPng; maxBytes.
 */
export const imageThread = `
const { parentPort, workerData } = require('node:worker_threads');

const CATMULL_ROM = 3;
const NEAREST = 1;

function upright(photon, image, orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const width = image.get_width();
  const height = image.get_height();
  const source = new Uint32Array(image.get_raw_pixels().slice().buffer);
  const swapped = orientation >= 5;
  const newWidth = swapped ? height : width;
  const newHeight = swapped ? width : height;
  const turned = new Uint32Array(source.length);
  for (let y = 0; y < newHeight; y += 1) {
    for (let x = 0; x < newWidth; x += 1) {
      let fromX = swapped ? y : x;
      let fromY = swapped ? x : y;
      if (orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8) fromX = width - 1 - fromX;
      if (orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7) fromY = height - 1 - fromY;
      turned[y * newWidth + x] = source[fromY * width + fromX];
    }
  }
  return new photon.PhotonImage(new Uint8Array(turned.buffer), newWidth, newHeight);
}

function onWhite(photon, image) {
  const pixels = image.get_raw_pixels();
  for (let index = 0; index < pixels.length; index += 4) {
    const alpha = pixels[index + 3];
    if (alpha === 255) continue;
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[index + channel] = Math.round((pixels[index + channel] * alpha + 255 * (255 - alpha)) / 255);
    }
    pixels[index + 3] = 255;
  }
  return new photon.PhotonImage(pixels, image.get_width(), image.get_height());
}

function encode(photon, image) {
  if (workerData.preferPng) {
    const png = image.get_bytes();
    if (png.length <= workerData.maxBytes) return { bytes: png, mimeType: 'image/png' };
  }
  const opaque = onWhite(photon, image);
  for (const quality of [85, 70, 50, 30]) {
    const jpeg = opaque.get_bytes_jpeg(quality);
    if (jpeg.length <= workerData.maxBytes) return { bytes: jpeg, mimeType: 'image/jpeg' };
  }
  return null;
}

(async () => {
  const photon = await import(workerData.library);
  let image;
  try {
    image = workerData.pixels
      ? new photon.PhotonImage(workerData.pixels, workerData.width, workerData.height)
      : photon.PhotonImage.new_from_byteslice(workerData.bytes);
  } catch {
    parentPort.postMessage({ kind: 'undecodable' });
    return;
  }
  if (!workerData.encode) {
    parentPort.postMessage({ kind: 'sound', width: image.get_width(), height: image.get_height() });
    return;
  }
  if (workerData.target) {
    const { width, height } = workerData.target;
    const filter = width > image.get_width() ? NEAREST : CATMULL_ROM;
    image = photon.resize(image, width, height, filter);
  }
  image = upright(photon, image, workerData.orientation);
  const encoded = encode(photon, image);
  parentPort.postMessage(
    encoded
      ? { kind: 'encoded', width: image.get_width(), height: image.get_height(), ...encoded }
      : { kind: 'too-large' },
  );
})();
`;
