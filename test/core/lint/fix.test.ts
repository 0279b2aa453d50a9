import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../src/core/lint/rule.ts'
import { renderCodeFrame } from '../../../src/core/lint/report/code-frame.ts'
import { findTargets } from '../../../src/core/lint/targets.ts'
import { lintExample } from '../../helpers/rule-examples.ts'
import { createFolder } from '../../helpers/skills.ts'

const BASE: Omit<Rule, 'check'> = {
  id: 'hygiene/bom',
  severity: 'warning',
  what: 'A rule of a test',
  why: 'A test needs it',
  example: { bad: {}, good: {} },
  fix: 'None',
  fixable: 'safe',
}

/** A rule that replaces the first occurrence of one text by another. */
function createReplacingRule(id: Rule['id'], from: string, to: string): Rule {
  return {
    ...BASE,
    id,
    check(skill, report) {
      const start = skill.read('notes.txt')?.indexOf(from) ?? -1
      if (start === -1) return
      const span = { start, end: start + from.length }
      const edit = { kind: 'replace' as const, file: 'notes.txt', span, text: to }
      report({ file: 'notes.txt', span, message: `"${from}" stands there`, edits: [edit] })
    },
  }
}

const fix = { unsafe: false, preview: false }

describe('lintSkills() with fixes', () => {
  it('applies overlapping edits in separate passes', async () => {
    const only = [
      createReplacingRule('hygiene/bom', 'abc', 'xbc'),
      createReplacingRule('hygiene/crlf', 'bcd', 'yyy'),
    ]
    const [rule] = only as [Rule, Rule]
    const { root, result } = await lintExample(rule, { 'notes.txt': 'abcd' }, { only, fix })
    expect(readFileSync(join(root, 'greet/notes.txt'), 'utf8')).toBe('xyyy')
    expect(result.findings).toEqual([])
  })

  it('reports fixes that undo each other and leaves the files unchanged', async () => {
    const only = [
      createReplacingRule('hygiene/bom', 'ping', 'pong'),
      createReplacingRule('hygiene/crlf', 'pong', 'ping'),
    ]
    const [rule] = only as [Rule, Rule]
    const { root, result } = await lintExample(rule, { 'notes.txt': 'ping' }, { only, fix })
    expect(result.findings.map((each) => each.message)).toEqual(['"ping" stands there'])
    expect(result.changes).toEqual([])
    expect(readFileSync(join(root, 'greet/notes.txt'), 'utf8')).toBe('ping')
    expect(result.failures).toEqual([
      {
        path: 'greet',
        message: expect.stringMatching(
          /^Cannot fix "greet": the fixes of hygiene\/(bom|crlf) undo each other/,
        ),
        hint: expect.stringContaining('=off'),
      },
    ])
  })

  it('reports a fix that never converges', async () => {
    const rule = createReplacingRule('hygiene/bom', 'a', 'aa')
    const { result } = await lintExample(rule, { 'notes.txt': 'a' }, { only: [rule], fix })
    expect(result.failures[0]?.message).toContain('undo each other')
    expect(result.changes).toEqual([])
  })

  it('runs as many passes as a long text needs', async () => {
    const rule = createReplacingRule('hygiene/bom', 'a', 'b')
    const notes = { 'notes.txt': 'a'.repeat(40) }
    const { root, result } = await lintExample(rule, notes, { only: [rule], fix })
    expect(result.failures).toEqual([])
    expect(readFileSync(join(root, 'greet/notes.txt'), 'utf8')).toBe('b'.repeat(40))
  })

  it('continues with other rules when one throws, and names it', async () => {
    const broken: Rule = {
      ...BASE,
      check() {
        throw new Error('lost its way')
      },
    }
    const only = [broken, createReplacingRule('hygiene/crlf', 'a', 'b')]
    const { result } = await lintExample(broken, { 'notes.txt': 'a' }, { only })
    expect(result.findings).toHaveLength(1)
    expect(result.failures).toMatchObject([{ path: 'greet' }])
    expect(result.failures[0]?.message).toContain('hygiene/bom failed (lost its way)')
  })
})

describe('findTargets()', () => {
  it('rejects a link to itself with one sentence', () => {
    const cwd = createFolder()
    symlinkSync('loop', join(cwd, 'loop'))
    expect(() => findTargets(cwd, ['loop'])).toThrowError(
      expect.objectContaining({ message: 'Cannot access "loop" (ELOOP)' }),
    )
  })
})

describe('renderCodeFrame()', () => {
  it.each([
    ['wide characters', `日本 = ${'値'.repeat(80)}`],
    ['tabs', `\t\tx = ${'y'.repeat(80)}`],
    ['a long line', `${'a'.repeat(5000)}x = 1${'b'.repeat(5000)}`],
  ])('fits into 40 columns and underlines the right characters with %s', async (_, source) => {
    const start = source.indexOf('=')
    const { result } = await lintExample(createReplacingRule('hygiene/bom', '=', ':'), {
      'notes.txt': source,
    })
    const [finding] = result.findings
    if (!finding) throw new Error('There is no finding')
    const { default: width } = await import('fast-string-width')
    const paint = (_style: string, text: string) => text
    const options = { cwd: '/', columns: 40, paint, version: '1', readSource: () => source }
    const [line = '', mark = ''] = renderCodeFrame(finding, source, options)
    expect(width(line)).toBeLessThanOrEqual(40)
    const column = mark.indexOf('^')
    let at = 0
    while (at < line.length && width(line.slice(0, at)) < column) at += 1
    expect(line[at]).toBe(source[start])
  })
})
