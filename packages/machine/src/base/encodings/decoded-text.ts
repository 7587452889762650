/**
 * A file as text. Bytes that the encoding would not give back are remembered one by one, so that an edit
 * elsewhere in the file leaves them as they are.
 */
export interface DecodedText {
  /** Without a byte order mark; malformed bytes stand here as U+FFFD. Always well-formed UTF-16. */
  text: string;
  /** Lower-case name: utf-8, utf-16le, utf-32be, gbk, shift_jis, windows-1252 … */
  encoding: string;
  /** Length of the byte order mark in bytes; 0 without one. */
  bomLength: number;
  /** Encoding the text again gives exactly the same bytes. */
  exact: boolean;
  /** Where it would not, in order. */
  odd: readonly OddUnit[];
}

/** A piece of a file that encoding its text would not give back: malformed bytes, a second spelling of a character. */
export interface OddUnit {
  textOffset: number;
  textLength: number;
  byteOffset: number;
  byteLength: number;
  malformed: boolean;
}
