import { expect, it } from 'vitest'
import { findNearestFile } from '../../src/util/find-nearest-file.ts'
import { findNearest } from '../../src/util/find-nearest.ts'

it.each([
  ['lnit', ['init', 'lint', 'list'], 'lint'],
  ['nmae', ['mode', 'name'], 'name'],
  ['cost', ['most', 'cast'], 'cast'],
  ['zz', ['ab'], undefined],
  ['colour', ['color'], 'color'],
  ['cmd', ['cwd', 'command'], 'command'],
  ['old', ['all', 'old_text', 'new_text'], 'old_text'],
  ['cdw', ['cwd', 'command'], 'cwd'],
])('the word that %j most likely means is of %j: %j', (word, names, meant) => {
  expect(findNearest(word, names)).toBe(meant)
})

it.each([
  ['assets/logo.png', ['assets/logo.csv', 'data/rows.csv'], undefined],
  ['assets/logo.png', ['img/logo.png', 'assets/other.png'], 'img/logo.png'],
  ['refs/guide.md', ['references/guide.md', 'other/guide.md'], 'references/guide.md'],
  ['resources/bytes.bim', ['resources/bytes.bin', 'resources/bytes.py'], 'resources/bytes.bin'],
  ['notes.markdown', ['notes.md'], 'notes.md'],
  ['code/mian.py', ['code/main.py', 'code/main.js'], 'code/main.py'],
  ['resources/a.json', ['resources/long-name.json'], undefined],
])('the file that %j most likely means is of %j: %j', (path, files, meant) => {
  expect(findNearestFile(path, files)).toBe(meant)
})
