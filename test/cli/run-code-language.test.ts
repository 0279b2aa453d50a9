// @module-tag slow
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/core/languages/index.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const FILES = {
  'a.py': 'def main(args):\n    return ["python", args.get("x")]\n',
  'script.py': 'import sys\nprint("script", sys.argv[1:])\n',
  'a.js': 'export const main = (args) => ["node", args.x ?? null]\n',
  'script.mjs': 'console.log("node script")\n',
  'a.ts': 'export function main(args: { x?: number }) { return ["typescript", args.x ?? null] }\n',
  'a.sh': 'echo "shell $1"\n',
  'A.SH': 'echo upper\n',
  'fn.sh': 'main() { json x="$(arg x)"; }\n',
  plain: 'def main(args):\n    return "python"\n',
  'a.txt': 'def main(args):\n    return "text"\n',
}

async function runCode(...argv: string[]) {
  return await runSkills(['run-code', ...argv], { cwd: createFolder(FILES) })
}

describe('skills run-code with a file', () => {
  it.each([
    [
      ['a.py', '--arg', 'x=1'],
      ['python', 1],
    ],
    [['a.py'], ['python', null]],
    [
      ['a.js', '--arg', 'x=1'],
      ['node', 1],
    ],
    [
      ['a.ts', '--arg', 'x=1'],
      ['typescript', 1],
    ],
    [['a.ts'], ['typescript', null]],
    [['fn.sh', '--arg', 'x=1'], { x: '1' }],
    [['plain'], 'python'],
    [['a.txt', '--language', 'python'], 'text'],
    [
      ['./a.py', '--language', 'python'],
      ['python', null],
    ],
  ])('calls the function of %j', async (argv, output) => {
    const ran = await runCode(...argv)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json()).toEqual(output)
  })

  it.each([
    [['script.py', '--', 'b'], "script ['b']\n"],
    [['script.py'], 'script []\n'],
    [['script.mjs'], 'node script\n'],
    [['a.sh', '--', 'b'], 'shell b\n'],
    [['A.SH'], 'upper\n'],
  ])('runs the program of %j', async (argv, stdout) => {
    expect(await runCode(...argv)).toMatchObject({ code: 0, stderr: '', stdout })
  })

  it('prefers --language to the extension', async () => {
    const ran = await runCode('a.py', '--language', 'shell')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('syntax error')
  })

  it('lists the extensions if the extension is unknown', async () => {
    const ran = await runCode('a.txt')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('No language has the file extension ".txt", expected one of .js,')
    expect(ran.stderr).toContain('→ Name the language: skills run-code a.txt --language python')
  })

  it('reports options that do not apply to the language of the extension', async () => {
    const ran = await runSkills(['run-code', 'a.rb', '--mount', 'x'], {
      cwd: createFolder({ 'a.rb': 'puts 1' }),
    })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('--mount is for functions, but ruby code runs as a program only')
  })
})

describe('file extensions', () => {
  it('belong to one language each', () => {
    const all = LANGUAGES.flatMap(({ extensions }) => extensions)
    expect(new Set(all).size).toBe(all.length)
    expect(all.every((each) => /^\.[a-z0-9]+$/.test(each))).toBe(true)
  })
})
