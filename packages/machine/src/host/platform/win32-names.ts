/**
 * Names that Windows takes for something else than an entry of a folder: devices, streams of a file, and names whose
 * last dots and blanks it drops. Returns what is wrong, or null.
 */
export function problemOfWindowsName(name: string): string | null {
  if (/[<>:"|?*\u0000-\u001f]/.test(name)) return 'contains a character that Windows does not allow in names';
  if (/[. ]$/.test(name)) return 'ends with a dot or a blank, which Windows drops';
  if (/^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i.test(name)) {
    return 'is the name of a device on Windows';
  }
  return null;
}
