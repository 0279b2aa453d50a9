// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySources, installTarball, packTarball, TYPED_PEERS } from '../helpers/packed.ts'

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

/**
 * The oldest supported TypeScript with types of Node that support it: the dist-tag `ts5.4` of
 * `@types/node` names them, but not every registry has the tag.
 */
const OLDEST = ['typescript@5.4.5', '@types/node@25.9.3']

let copy = ''
let dir = ''
/** The package next to the oldest TypeScript. */
let oldestDir = ''

beforeAll(() => {
  copy = copySources()
  const { tarball } = packTarball(copy)
  dir = installTarball(tarball, TYPED_PEERS)
  const zod = TYPED_PEERS.filter((each) => each.startsWith('zod@'))
  oldestDir = installTarball(tarball, [...OLDEST, ...zod])
}, 600_000)

afterAll(() => {
  for (const each of [copy, dir, oldestDir])
    if (each) rmSync(each, { recursive: true, force: true })
}, 600_000)

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

interface Versions {
  version: string
  /** Oldest TypeScript that these types support. */
  typeScriptVersion?: string
}

function findOldestCompiler() {
  const folder = join(oldestDir, 'node_modules/typescript')
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Versions
  return { compiler: join(folder, 'bin/tsc'), version }
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

  it.each(CASES)(
    'compile in TypeScript 5.4 with $moduleResolution, $lib',
    { timeout: 300_000 },
    (given) => {
      const { compiler, version } = findOldestCompiler()
      expect(version).toBe('5.4.5')
      const folder = join(oldestDir, `${given.moduleResolution}-${given.lib.length}`)
      const options = { ...given, target: 'es2022', types: [] }
      expect(checkTypes(folder, compiler, options)).toEqual({ stdout: '', status: 0 })
    },
  )

  it('need no other types of Node in TypeScript 5.4', () => {
    const installed = join(oldestDir, 'node_modules/@types/node/package.json')
    const { typeScriptVersion } = JSON.parse(readFileSync(installed, 'utf8')) as Versions
    expect(Number(typeScriptVersion)).toBeLessThanOrEqual(5.4)
    const nested = join(oldestDir, 'node_modules/skills-protocol/node_modules/@types/node')
    expect(existsSync(nested)).toBe(false)
  })
})
