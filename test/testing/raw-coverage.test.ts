import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeCodeCoverage, decodeMappings } from '../../src/testing/coverage/code-coverage.ts'
import { readRawCoverage } from '../../src/testing/coverage/raw-coverage.ts'
import { createFolder } from '../helpers/skills.ts'

const FOLDER = '.skills-coverage'
const DATA = JSON.stringify({
  hits: { '/skills/demo.a/code/main.py': [1] },
  statements: { '/skills/demo.a/code/main.py': [1, 2] },
})

describe('coverage that a run leaves', () => {
  it('is read', () => {
    const workspace = createFolder({ [`${FOLDER}/1.json`]: DATA })
    expect(readRawCoverage(workspace).python).toHaveLength(1)
  })

  it('is not read through links', () => {
    const outside = createFolder({ '1.json': DATA })
    const linked = createFolder()
    symlinkSync(outside, join(linked, FOLDER))
    const inside = createFolder()
    mkdirSync(join(inside, FOLDER))
    symlinkSync(join(outside, '1.json'), join(inside, FOLDER, '1.json'))
    for (const workspace of [linked, inside]) {
      expect(readRawCoverage(workspace)).toEqual({ python: [], scripts: [] })
    }
  })

  it.each([
    'no JSON',
    '[]',
    'null',
    '{"hits": 1, "statements": {}}',
    '{"result": [1, {"url": 5}, {"url": "file:///etc/passwd", "functions": []}]}',
    '{"result": [{"url": "file:///skills/%ff", "functions": []}]}',
    '{"result": {"url": "file:///skills/a"}}',
  ])('of another form is left out: %s', (text) => {
    const workspace = createFolder({ [`${FOLDER}/1.json`]: text })
    expect(readRawCoverage(workspace)).toEqual({ python: [], scripts: [] })
  })

  it('counts only lines that are numbers, and files of the skill', async () => {
    const dir = createFolder({ 'code/main.py': 'a = 1\nb = 2\n', 'tests/x.py': 'c = 3\n' })
    const own = '/skills/demo.a/code/main.py'
    const data = {
      hits: { [own]: [1, 'DA:9', -1, 1e9, null], '/skills/demo.a/../../etc/passwd': [1] },
      statements: { [own]: [1, 2, 99], '/skills/demo.a/tests/x.py': [1] },
    }
    const workspace = createFolder({ [`${FOLDER}/1.json`]: JSON.stringify(data) })
    const files = await computeCodeCoverage({ name: 'demo.a', dir }, readRawCoverage(workspace))
    expect(files.map(({ path, lines }) => [path, [...lines]])).toEqual([
      [
        'code/main.py',
        [
          [1, 1],
          [2, 0],
        ],
      ],
    ])
    expect(dirname(files[0]?.path ?? '')).toBe('code')
  })
})

it('mappings of source maps are decoded', () => {
  expect(decodeMappings('AAAA;AACA,IAAI;;EAEE')).toEqual([
    { line: 0, column: 0, sourceLine: 0, sourceColumn: 0 },
    { line: 1, column: 0, sourceLine: 1, sourceColumn: 0 },
    { line: 1, column: 4, sourceLine: 1, sourceColumn: 4 },
    { line: 3, column: 2, sourceLine: 3, sourceColumn: 6 },
  ])
  expect(decodeMappings('A!')).toEqual([])
})
