// @module-tag slow
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySources, installTarball, packTarball } from '../helpers/packed.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RESOLUTIONS = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
] as const
const LIBRARIES = [['es2022'], ['es2022', 'dom', 'dom.iterable']]

const { exports: ENTRIES } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>
}
/** Every entry point with types. */
const NAMES = Object.entries(ENTRIES).flatMap(([path, entry]) =>
  typeof entry === 'string' ? [] : [`skills-protocol${path.slice(1)}`],
)
const CONSUMER = [
  ...NAMES.map((name, at) => `import * as entry${at} from '${name}'`),
  "import type { SkillManifest } from 'skills-protocol'",
  `export const all: object[] = [${NAMES.map((_, at) => `entry${at}`).join(', ')}]`,
  'export const manifest: SkillManifest = { name: "a.b", version: "1.0.0", description: "c" }',
  '// @ts-expect-error the type of the name is known, so that the declarations are not `any`',
  'export const wrong: SkillManifest = { ...manifest, name: 5 }',
  'export const { url } = entry1.createClient({ url: "http://127.0.0.1:8080" })',
  '// @ts-expect-error a client needs the URL of a runtime',
  'entry1.createClient({ url: 5 })',
  '',
].join('\n')

let copy = ''
let dir = ''

beforeAll(() => {
  copy = copySources()
  dir = installTarball(packTarball(copy).tarball)
}, 600_000)

afterAll(() => {
  for (const each of [copy, dir]) if (each) rmSync(each, { recursive: true, force: true })
})

/** Type-checks the consumer, declarations of the package and of its dependencies included. */
function checkTypes(folder: string, compiler: string, options: object) {
  mkdirSync(folder)
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER)
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: false, ...options }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['consumer.ts'] }),
  )
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { stdout, status }
}

const CASES = RESOLUTIONS.flatMap(([moduleResolution, module]) =>
  LIBRARIES.map((lib) => ({ moduleResolution, module, lib })),
)

describe('the declarations of the package', () => {
  it('has its client as the second entry', () => {
    expect(NAMES[1]).toBe('skills-protocol/client')
  })

  it.each(CASES)('compile with $moduleResolution, $lib', { timeout: 300_000 }, (given) => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const folder = join(dir, `${given.moduleResolution}-${given.lib.length}`)
    const options = { ...given, target: 'es2022', types: [] }
    expect(checkTypes(folder, compiler, options)).toEqual({ stdout: '', status: 0 })
  })
})
