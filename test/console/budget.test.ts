import { readFileSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const KIB = 1024

interface BuiltConsole {
  style: string
  scripts: { file: string; entry: string | null; imports: string[]; modules: string[] }[]
}

async function build() {
  const folder = `${createFolder()}/console/`
  const { buildConsole } = (await import(`${ROOT}scripts/build-console.js`)) as {
    buildConsole(target: string): Promise<BuiltConsole>
  }
  return { folder, ...(await buildConsole(folder)) }
}

/** A script with everything that it imports. */
function listImported(scripts: BuiltConsole['scripts'], entry: string): string[] {
  const found = new Set<string>()
  const pending = scripts.filter((each) => each.entry?.endsWith(entry))
  for (let next = pending.pop(); next; next = pending.pop()) {
    found.add(next.file)
    const { imports } = next
    pending.push(...scripts.filter(({ file }) => imports.includes(file) && !found.has(file)))
  }
  return [...found]
}

it('the first load has at most 70 KiB compressed, and all files have at most 120 KiB', async () => {
  const { folder, style, scripts } = await build()
  const measure = (files: readonly string[]) =>
    files.reduce((total, file) => total + statSync(`${folder}assets/${file}.gz`).size, 0)
  // The list of skills is part of the first script.
  const start = listImported(scripts, 'src/console/main.tsx')
  const modules = scripts.flatMap((each) => (start.includes(each.file) ? each.modules : []))
  expect(modules.some((id) => id.endsWith('/pages/skills/skills-page.tsx'))).toBe(true)
  expect(measure([...start, style])).toBeLessThanOrEqual(70 * KIB)
  const all = [...scripts.map(({ file }) => file), style]
  expect(measure(all)).toBeLessThanOrEqual(120 * KIB)
})

/** Modules that may be part of the console. Types of others are none. */
const ALLOWED =
  /^(?:src\/console\/|src\/client\/|src\/errors\.ts$|src\/util\/(?:quantity|printable)\.ts$|node_modules\/(?:preact|@preact\/signals(?:-core)?)\/)/
/** Ways from text to markup, styles or code. */
const FORBIDDEN =
  /innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|cssText|\beval\(|\bFunction\(|style="/

it('the console has modules of the page, the client and Preact only', async () => {
  const { scripts } = await build()
  const modules = scripts
    .flatMap((each) => each.modules)
    .filter((id) => !id.startsWith('\0'))
    .map((id) => relative(ROOT, id).replaceAll(sep, '/'))
  expect(modules).toContain('src/console/main.tsx')
  expect(modules.filter((path) => !ALLOWED.test(path))).toEqual([])
})

it('the console makes no markup, no style and no code from text', async () => {
  const { folder, scripts } = await build()
  const modules = scripts.flatMap((each) => each.modules).filter((id) => id.includes('/src/'))
  const sources = modules.map((id) => ({ id, text: readFileSync(id, 'utf8') }))
  expect(sources.length).toBeGreaterThan(10)
  expect(sources.filter(({ text }) => FORBIDDEN.test(text)).map(({ id }) => id)).toEqual([])
  // Preact sets markup from text only for a property that no source names.
  const code = scripts.map(({ file }) => readFileSync(`${folder}assets/${file}`, 'utf8')).join('\n')
  expect(code).not.toMatch(/\beval\(|\bFunction\(|\bimport\("?http/)
})
