// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(root, 'node_modules/typescript/bin/tsc')
const PROGRAM = `import { createClient, ProtocolError, type RunResult } from './types/client/index.js'
const client = createClient({ url: 'http://127.0.0.1:8080' })
export const run: RunResult = await client.executeSkill({ name: 'demo.greet' })
export const isBusy = (error: unknown) => error instanceof ProtocolError && error.code === -32003
`

interface Compilation {
  dir: string
  files: string[]
  options: object
}

function compile({ dir, files, options }: Compilation): string {
  const file = join(dir, 'tsconfig.json')
  writeFileSync(file, JSON.stringify({ compilerOptions: options, files }))
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', file], { encoding: 'utf8' })
  return status === 0 ? '' : stdout
}

describe("the client's declarations", () => {
  it('compile without skipLibCheck, Node.js types or other packages', () => {
    const dir = createFolder()
    const base = { strict: true, module: 'nodenext', target: 'es2023' }
    const built = compile({
      dir,
      files: [join(root, 'src/client/index.ts')],
      options: {
        ...base,
        // The types of the client are derived from the table of methods, which reads all of core.
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        declaration: true,
        emitDeclarationOnly: true,
        rewriteRelativeImportExtensions: true,
        exactOptionalPropertyTypes: true,
        rootDir: join(root, 'src'),
        outDir: join(dir, 'types'),
      },
    })
    expect(built).toBe('')
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
    writeFileSync(join(dir, 'program.ts'), PROGRAM)
    const options = { ...base, lib: ['es2023', 'dom', 'dom.iterable'], types: [], noEmit: true }
    const checked = { ...options, skipLibCheck: false, exactOptionalPropertyTypes: true }
    expect(compile({ dir, files: ['program.ts'], options: checked })).toBe('')
    writeFileSync(join(dir, 'wrong.ts'), `${PROGRAM}export const wrong: number = run.status\n`)
    expect(compile({ dir, files: ['wrong.ts'], options: checked })).toContain('TS2322')
  })
})
