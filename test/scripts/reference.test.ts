// @module-tag slow
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchor } from '../../scripts/reference/anchor.ts'
import { code, escapeText, showInvisible, table } from '../../scripts/reference/markdown.ts'
import { renderReference } from '../../scripts/reference/pages.ts'
import { findStale, writePages } from '../../scripts/reference/sync.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { CONFIG_KEYS } from '../../src/core/config/keys.ts'
import { RULES } from '../../src/core/lint/rules/index.ts'
import { METHODS } from '../../src/core/methods/index.ts'
import { ERROR_MEANINGS } from '../../src/error-meanings.ts'
import { createFolder } from '../helpers/skills.ts'

const pages = await renderReference()
const text = (path: string) => pages.get(path) ?? ''

/** Headings outside of code blocks, as anchors. */
function listAnchors(page: string): string[] {
  const prose = page.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '')
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))
}

describe('the reference', () => {
  it('has a section for each command that help lists, and for no hidden one', () => {
    const shown = COMMANDS.filter(({ hidden }) => !hidden)
    for (const { name } of shown) expect(text('commands.md')).toContain(`\n## skills ${name}\n`)
    for (const { name, hidden } of COMMANDS)
      if (hidden) expect(text('commands.md')).not.toContain(`skills ${name}`)
    expect(text('commands.md')).toContain('\n### skills blobs put\n')
  })

  it('has a section for each configuration key', () => {
    for (const { key } of CONFIG_KEYS) expect(text('configuration.md')).toContain(`\n### ${key}\n`)
    expect(text('configuration.md')).toMatch(
      /### run\.timeout\n[^#]*Default: `"5m"`\n- Set by: .*\n- Environment variable: `SKILLS_RUN_TIMEOUT`/,
    )
  })

  it('has a row for each error code, and a section for each method', () => {
    for (const each of Object.keys(ERROR_MEANINGS))
      expect(text('errors.md')).toContain(`\n| \`${each}\` | `)
    for (const { name } of METHODS) expect(text('methods.md')).toContain(`\n## ${name}\n`)
  })

  it('has a page for each rule, with both examples', () => {
    for (const { id } of RULES) {
      const page = text(`rules/${id}.md`)
      expect(text('rules/index.md')).toContain(`(${id}.md)`)
      const [, bad = '', good = ''] = page.split(/^## (?:Bad|Good) example$/m)
      expect(bad.trim(), id).not.toBe('')
      expect(good.split('\n## ')[0]?.trim(), id).not.toBe('')
    }
  })

  it('is the same each time, without the date or paths of this machine', async () => {
    expect([...(await renderReference())]).toEqual([...pages])
    const all = [...pages.values()].join('\n')
    expect(all).not.toContain(`${process.cwd()}/`)
    expect(all).not.toContain(`${homedir()}/`)
    expect(all).not.toContain(new Date().toISOString().slice(0, 10))
    expect(all.replaceAll('undefined-name', '')).not.toMatch(/\bundefined\b|\[object |NaN/)
  })

  it('has only links that lead to one of its pages and headings', () => {
    const broken = [...pages].flatMap(([path, page]) =>
      [...page.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '').matchAll(/\]\(([^)]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          const [file = '', hash] = target.split('#')
          const found = pages.get(file === '' ? path : join(dirname(path), file))
          return found === undefined || (hash !== undefined && !listAnchors(found).includes(hash))
        })
        .map((target) => `${path}: ${target}`),
    )
    expect(broken).toEqual([])
  })
})

describe('findStale()', () => {
  it('lists changed, missing and foreign files until they are written', () => {
    const root = join(createFolder(), 'reference')
    expect(findStale(root, pages)).toHaveLength(pages.size)
    writePages(root, pages)
    expect(findStale(root, pages)).toEqual([])
    writeFileSync(join(root, 'errors.md'), 'old')
    mkdirSync(join(root, 'rules/gone'))
    writeFileSync(join(root, 'rules/gone/rule.md'), 'old')
    expect(findStale(root, pages)).toEqual(['errors.md', 'rules/gone/rule.md'])
    expect(writePages(root, pages)).toEqual(['errors.md', 'rules/gone/rule.md'])
    expect(findStale(root, pages)).toEqual([])
  })
})

describe('Markdown of plain text', () => {
  it('escapes what GitHub or the site would interpret', () => {
    expect(escapeText('<b> *x* _y_ a_b {{z}} ~~')).toBe(
      '\\<b> \\*x\\* \\_y\\_ a_b &#123;&#123;z}} \\~\\~',
    )
    expect(escapeText('- no list')).toBe('\\- no list')
  })

  it('keeps code, and makes code of URLs', () => {
    expect(escapeText('use `a<b>` or https://*.example.com, or not')).toBe(
      'use `a<b>` or `https://*.example.com`, or not',
    )
    expect(code('a`b')).toBe('`` a`b ``')
  })

  it('escapes pipes and line ends in cells', () => {
    expect(table(['a'], [['x | y\nz']])).toBe('| a |\n| --- |\n| x \\| y z |')
  })

  it('shows invisible characters', () => {
    expect(showInvisible('a \r\nb\t \n\u202ec')).toBe('a·\\r\nb··\n\\u202ec')
  })
})

describe('ERROR_MEANINGS', () => {
  it('has a distinct sentence for each code, without a full stop', () => {
    const meanings = Object.values(ERROR_MEANINGS)
    expect(new Set(meanings).size).toBe(meanings.length)
    for (const meaning of meanings) expect(meaning).toMatch(/^[A-Z].{15,110}[^.]$/)
  })
})
