const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#1f2937"/><path d="M6 8h12M12 8v10" stroke="#f59e0b" stroke-width="3" stroke-linecap="round"/></svg>';

/** The sign of Toolwright, carried in the text itself: no client has to fetch it from anywhere. */
export const icons = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
];
