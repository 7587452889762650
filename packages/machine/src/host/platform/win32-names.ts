/**
 * Says what is wrong with a name that Windows takes for something other than a file: a device, a stream of a file, a
 * name that ends in dots or blanks. Null for a good one.
 */
export function problemOfWindowsName(name: string): string | null {
  if (/[<>:"|?*\u0000-\u001f]/.test(name)) return 'contains a character that Windows does not allow in names';
  if (/[. ]$/.test(name)) return 'ends with a dot or a blank, which Windows drops';
  if (/^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i.test(name)) {
    return 'is the name of a device on Windows';
  }
  return null;
}
