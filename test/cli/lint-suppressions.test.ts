// @module-tag slow
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  EXAMPLE_CODE,
  EXAMPLE_SKILL,
  createExampleToml,
} from '../../src/core/lint/example-skill.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

/** Adds suppressions to a skill, checks that nothing is left to add, and returns a reader of files. */
async function suppress(changes: Tree, ...options: string[]) {
  const tree: Tree = { ...EXAMPLE_SKILL, ...changes }
  const entries = Object.entries(tree).map(([path, text]) => [`skills/greet/${path}`, text])
  const cwd = createFolder(Object.fromEntries(entries))
  const done = await runSkills(['lint', '--add-suppressions', ...options], { cwd })
  expect(done).toMatchObject({ code: 0 })
  const read = (path: string) => readFileSync(join(cwd, 'skills/greet', path), 'utf8')
  const texts = Object.keys(tree).map((path) => read(path))
  const lint = await runSkills(['lint', '--json', ...options], { cwd })
  expect(lint.json()['findings']).toEqual([])
  const again = await runSkills(['lint', '--add-suppressions', ...options], { cwd })
  expect(again.stderr).toContain('Suppressed 0 findings\n')
  expect(Object.keys(tree).map((path) => read(path))).toEqual(texts)
  return { read, stderr: done.stderr, cwd }
}

const BAD_TOML = createExampleToml({ version: '"1.0"', tgas: '["demo"]' })
const SPACE = '  '

describe('skills lint --add-suppressions', () => {
  it('writes one comment per line of skill.toml, and counts the findings', async () => {
    const { read, stderr } = await suppress({ 'skill.toml': BAD_TOML })
    expect(read('skill.toml')).toContain(
      '# skills-lint-disable-next-line schema/invalid-version\nversion = "1.0"\n',
    )
    expect(read('skill.toml')).toContain(
      '# skills-lint-disable-next-line schema/unknown-key\ntgas = ["demo"]\n',
    )
    expect(stderr).toContain('Suppressed 2 findings by comments in 1 file')
  })

  it('shows the comments with --diff and writes nothing', async () => {
    const cwd = createFolder({
      'skills/greet/skill.toml': BAD_TOML,
      'skills/greet/SKILL.md': EXAMPLE_SKILL['SKILL.md'] as string,
      'skills/greet/code/main.py': EXAMPLE_CODE,
      'skills/greet/tests/greet.test.toml': EXAMPLE_SKILL['tests/greet.test.toml'] as string,
    })
    const done = await runSkills(['lint', '--add-suppressions', '--diff'], { cwd })
    expect(done.code).toBe(1)
    expect(done.stdout).toContain('+# skills-lint-disable-next-line schema/unknown-key')
    expect(done.stderr).toContain('Would suppress 2 findings by comments in 1 file')
    expect(readFileSync(join(cwd, 'skills/greet/skill.toml'), 'utf8')).toBe(BAD_TOML)
  })

  it('adds rules to a comment that is already there', async () => {
    const marked = BAD_TOML.replace(
      'tgas',
      '# skills-lint-disable-next-line naming -- agreed\ntgas',
    )
    const { read } = await suppress({ 'skill.toml': marked }, '--ignore', 'hygiene')
    expect(read('skill.toml')).toContain(
      '# skills-lint-disable-next-line naming, schema/unknown-key -- agreed\ntgas',
    )
  })

  it('keeps multi-line strings of TOML and Python', async () => {
    const toml = `${createExampleToml()}\n[extra]\ntext = """\na${SPACE}\n"""\n`
    const code = `"""Doc${SPACE}\n\nEnd.\n"""\n\n\ndef main(args):\n    text = '''\na\u200Bb\n'''\n    return {"who": args.get("who"), "text": text}\n`
    const { read } = await suppress({ 'skill.toml': toml, 'code/main.py': code })
    expect(read('skill.toml')).toContain(`text = """\na${SPACE}\n"""`)
    expect(read('code/main.py')).toContain("    text = '''\na\u200Bb\n'''\n")
    expect(read('code/main.py')).toMatch(/^# skills-lint-disable hygiene\/hidden-character\n"""Doc/)
  })

  it('keeps the first lines, continuations and script metadata of Python', async () => {
    const code = [
      '#!/usr/bin/env python3',
      '# -*- coding: utf-8 -*-  ',
      '# /// script',
      '# dependencies = []  ',
      '# ///',
      'def main(args):',
      '    total = 1 + \\',
      '        2  ',
      '    return {"who": args.get("who"), "total": total}  ',
      '',
    ].join('\n')
    const { read, cwd } = await suppress({ 'code/main.py': code })
    const text = read('code/main.py')
    expect(text.split('\n').slice(0, 2)).toEqual(code.split('\n').slice(0, 2))
    expect(text).toContain('# /// script\n# dependencies = []  \n# ///\n')
    expect(text).toContain('1 + \\\n        2  \n')
    execFileSync('python3', [
      '-c',
      `compile(open("${cwd}/skills/greet/code/main.py").read(), "m", "exec")`,
    ])
  })

  it('keeps strings and here documents of shell scripts', async () => {
    const script = [
      '#!/bin/sh',
      'cat <<EOF',
      'a\u200Bb',
      'EOF',
      "echo 'c",
      "d\u200Be'",
      'echo f \\',
      '  g\u200Bh',
      'echo "i\u200Bj"',
      '',
    ].join('\n')
    const { read, cwd } = await suppress({
      'scripts/run.sh': script,
    })
    const text = read('scripts/run.sh')
    expect(text.startsWith('#!/bin/sh\n')).toBe(true)
    const before = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
    const after = execFileSync('sh', [join(cwd, 'skills/greet/scripts/run.sh')], {
      encoding: 'utf8',
    })
    expect(after).toBe(before)
  })

  it('keeps templates of JavaScript, and the interpreter line', async () => {
    const script = [
      '#!/usr/bin/env node',
      'const a = `b',
      '${[`c\u200Bd`, "}"].join()} e\u200Bf',
      'g\u200Bh`',
      'const r = /`/.test(a) // i\u200Bj',
      'console.log(a, r, "k\u200Bl")',
      '',
    ].join('\n')
    const { read, cwd } = await suppress({
      'scripts/run.js': script,
    })
    expect(read('scripts/run.js').startsWith('#!/usr/bin/env node\n')).toBe(true)
    const run = (file: string) => execFileSync(process.execPath, [file], { encoding: 'utf8' })
    const original = join(createFolder({ 'run.js': script }), 'run.js')
    expect(run(join(cwd, 'skills/greet/scripts/run.js'))).toBe(run(original))
  })

  it('keeps front matter, lists, tables and code blocks of Markdown', async () => {
    const markdown = [
      '---',
      'name: greet',
      'description: >-',
      '  Greets somebody',
      '  by na\u200Bme.',
      'modle: large',
      '---',
      '',
      '# Greet',
      '',
      'Greets `who`.',
      'Second [line](gone-1.md).',
      '',
      '- one [item](gone-2.md)',
      '',
      '| [a](gone-3.md) | b |',
      '|---|---|',
      '| [c](gone-4.md) | d |',
      '',
      '[paragraph](gone-5.md)',
      '',
      '## Example [x](gone-6.md)',
      '',
      '```sh',
      'skills exec demo.greet --arg whom=Ada',
      '```',
    ].join('\n')
    const { read } = await suppress({ 'SKILL.md': markdown })
    const text = read('SKILL.md')
    const own = (line: string) => `<!-- skills-lint-disable-next-line docs/${line}`
    const end = '<!-- skills-lint-disable-line docs/broken-link -->'
    for (const each of [
      '# skills-lint-disable-next-line portability/front-matter-key\nmodle: large\n---',
      'description: >-\n  Greets somebody\n  by na\u200Bme.\n',
      `Second [line](gone-1.md). ${end}\n`,
      `- one [item](gone-2.md) ${end}\n`,
      own('broken-link -->\n| [a](gone-3.md) | b |\n|---|---|\n'),
      `| [c](gone-4.md) | d | ${end}\n`,
      own('broken-link -->\n[paragraph](gone-5.md)\n'),
      own('broken-link -->\n## Example [x](gone-6.md)\n'),
      own('example-arguments -->\n```sh\nskills exec demo.greet --arg whom=Ada\n```\n'),
    ])
      expect(text).toContain(each)
    const comment = /[ \t]*(?:<!--|#) skills-lint-disable[^\n]*?(?:-->|(?=\n))\n?/g
    expect(text.replace(comment, '').replace(/\s+/g, ' ').trim()).toBe(
      markdown.replace(/\s+/g, ' '),
    )
  })

  it('names paths of folders, of missing files and of files without comments', async () => {
    const { read } = await suppress({
      'resources/my data.json': '{"a": "b\u202E"}\n',
      'resources/list.csv': 'a\u202Eb\n',
    })
    expect(read('resources/my data.json')).toBe('{"a": "b\u202E"}\n')
    expect(read('resources/list.csv')).toBe('a\u202Eb\n')
    expect(read('skill.toml')).toContain(
      '# skills-lint-disable-path "resources/my data.json" hygiene/bidi-character\n# skills-lint-disable-path resources/list.csv hygiene/bidi-character\n',
    )
  })

  it('keeps CRLF line ends and a byte order mark', async () => {
    const toml = `\uFEFF${BAD_TOML}`.replaceAll('\n', '\r\n')
    const { read } = await suppress({ 'skill.toml': toml })
    expect(read('skill.toml').startsWith('\uFEFF')).toBe(true)
    expect(read('skill.toml')).not.toMatch(/[^\r]\n/)
  })

  it('writes one comment for the file if a rule has many findings there', async () => {
    const links = Array.from({ length: 30 }, (_, index) => `[x](gone${index}.md)\n\n`).join('')
    const { read } = await suppress({ 'SKILL.md': `${EXAMPLE_SKILL['SKILL.md']}\n${links}` })
    expect(read('SKILL.md').match(/skills-lint-disable/g)).toHaveLength(1)
    expect(read('SKILL.md')).toContain('<!-- skills-lint-disable docs/broken-link -->')
  })

  it('suppresses the selected rules only', async () => {
    const { read } = await suppress({ 'skill.toml': BAD_TOML }, '--select', 'schema/unknown-key')
    expect(read('skill.toml')).not.toContain('schema/invalid-version')
  })

  it.each(['--fix', '--fix-unsafe', '--watch'])('is not combined with %s', async (flag) => {
    const cwd = createFolder({ 'skills/greet/SKILL.md': '# x\n' })
    const done = await runSkills(['lint', '--add-suppressions', flag], { cwd })
    expect(done.code).toBe(2)
    expect(done.stderr).toContain(flag)
  })
})

describe('skills-lint-disable-path', () => {
  it('is reported if it suppresses nothing, and has no effect outside a manifest', async () => {
    const cwd = createFolder({
      'skills/greet/skill.toml': `# skills-lint-disable-path gone.txt hygiene\n${createExampleToml()}`,
      'skills/greet/SKILL.md': EXAMPLE_SKILL['SKILL.md'] as string,
      'skills/greet/code/main.py': `# skills-lint-disable-path SKILL.md docs\n${EXAMPLE_CODE}`,
    })
    const done = await runSkills(['lint', '--format', 'concise'], { cwd })
    expect(done.stdout).toContain(
      'skill.toml:1:37: warning "hygiene" is turned off here but has no',
    )
    expect(done.stdout).not.toContain('main.py')
  })
})
