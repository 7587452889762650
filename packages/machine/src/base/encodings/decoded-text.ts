/**
 * A file as text. Bytes that encoding the text would not give back are listed one by one, so that an edit elsewhere in
 * the file preserves them.
 */
export interface DecodedText {
  /** Text without a byte order mark. Malformed bytes appear as U+FFFD. Always well-formed UTF-16. */
  text: string;
  /** Lower-case name: utf-8, utf-16le, utf-32be, gbk, shift_jis, windows-1252 … */
  encoding: string;
  /** Length of the byte order mark in bytes; 0 without one. */
  bomLength: number;
  /** True when encoding the text gives exactly the same bytes. */
  exact: boolean;
  /** The places where encoding gives other bytes, in order. */
  odd: readonly OddUnit[];
}

/**
 * A piece of a file that encoding its text would not give back: malformed bytes, or a second spelling of a character.
 */
export interface OddUnit {
  textOffset: number;
  textLength: number;
  byteOffset: number;
  byteLength: number;
  malformed: boolean;
}
