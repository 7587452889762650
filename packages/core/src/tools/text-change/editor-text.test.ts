import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { noteEditorText } from './editor-text.js';
import { never, openTextTools, type TextTools } from './fixtures/text-tools.js';

const forModel = { forModel: true };
const unsaved =
  "conflict: a.txt is open in the user's editor with changes that are not saved, so it was not changed. Ask the user to save it, or to undo those changes and attach the file again; then repeat the call.";

const inEditor = (tools: TextTools, path: string, text: string) =>
  noteEditorText({ path: tools.path(path), text }, { host: tools, seen: tools.seen }, never);

describe('a file that the editor shows', () => {
  test('counts as read where the disk holds the same, whatever its line ends', async () => {
    const tools = openTextTools({ 'a.txt': '\uFEFFone\r\ntwo\r\n' }, forModel);
    expect(await inEditor(tools, 'a.txt', 'one\ntwo\n')).toBe('saved');
    expect(await tools.runEdit('a.txt', 'two', '2')).toMatch(/^Edited a\.txt/);
  });

  test('can not be changed while its text is not saved', async () => {
    const tools = openTextTools({ 'a.txt': 'one\n' }, forModel);
    expect(await inEditor(tools, 'a.txt', 'one\nmine\n')).toBe('unsaved');
    expect(await tools.runEdit('a.txt', 'one', '1')).toBe(unsaved);
    expect(await tools.runWrite('a.txt', '1\n')).toBe(unsaved);
    expect(tools.read('a.txt')).toBe('one\n');
  });

  test('can be changed once the user has saved it', async () => {
    const tools = openTextTools({ 'a.txt': 'one\n' }, forModel);
    await inEditor(tools, 'a.txt', 'one\nmine\n');
    writeFileSync(tools.path('a.txt'), 'one\nmine\n');
    expect(await tools.runEdit('a.txt', 'one', '1')).toMatch(/^Edited a\.txt/);
    expect(tools.read('a.txt')).toBe('1\nmine\n');
  });

  test('can be changed once the user has undone it and shown it again', async () => {
    const tools = openTextTools({ 'a.txt': 'one\n' }, forModel);
    await inEditor(tools, 'a.txt', 'mine\n');
    expect(await inEditor(tools, 'a.txt', 'one\n')).toBe('saved');
    expect(await tools.runEdit('a.txt', 'one', '1')).toMatch(/^Edited a\.txt/);
  });

  test('is not created behind a text that was never saved', async () => {
    const tools = openTextTools({}, forModel);
    expect(await inEditor(tools, 'a.txt', 'mine\n')).toBe('unsaved');
    expect(await tools.runWrite('a.txt', 'new\n')).toBe(unsaved);
    expect(await tools.runEdit('a.txt', '', 'new\n')).toBe(unsaved);
  });

  test('means nothing where the tools may not read, or where it is no file', async () => {
    const tools = openTextTools({}, forModel);
    mkdirSync(tools.path('folder'));
    expect(await inEditor(tools, 'folder', '')).toBe('elsewhere');
    const outside = { path: '/etc/hostname', text: '' };
    expect(await noteEditorText(outside, { host: tools, seen: tools.seen }, never)).toBe('elsewhere');
  });
});
