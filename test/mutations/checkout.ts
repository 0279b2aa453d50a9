import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'rolldown/utils'
import { applyEdit, type Mutation } from './list-mutations.ts'

const INSTALLED = [
  'node_modules',
  'test/mcp/official/node_modules',
  'test/publish/official/node_modules',
]
/** Parts of a build that contain any source. Schemas stay those of the commit. */
const BUNDLERS = [['scripts/bundle.js'], ['scripts/build-console.js']]
/** Tests refuse a build of other sources. Older commits have no digest. */
const WRITE_DIGEST = `import('./scripts/source-digest.js').then(
  ({ DIGEST_FILE, digestSources }) => require('node:fs').writeFileSync(DIGEST_FILE, digestSources()),
  () => {})`

/** A clone of one commit in a temporary folder, with packages and a build of its own. */
export class Checkout {
  readonly commit: string
  /** Temporary folder, in which the clone is `root`. */
  readonly folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  readonly root = join(this.folder, 'clone')
  readonly #origin: string
  /** Built programs without a mutation. */
  readonly #built = join(this.folder, 'dist')
  #applied: Mutation | undefined
  #restore = () => {}

  /** @param origin Root of the repository. */
  constructor(origin: string, commit: string) {
    this.commit = commit
    this.#origin = origin
    // Some tests run programs as another user, which must be able to read the clone.
    chmodSync(this.folder, 0o755)
    process.once('exit', () => this.remove())
    run(this.folder, 'git', ['clone', '--quiet', '--shared', '--no-checkout', origin, this.root])
    run(this.root, 'git', ['checkout', '--quiet', '--detach', commit])
  }

  /** Installs the packages, those of the repository if they are the same, and builds the program. */
  install(): void {
    const lock = 'package-lock.json'
    if (readFileSync(join(this.#origin, lock), 'utf8') === this.read(lock)) {
      for (const folder of INSTALLED.filter((each) => existsSync(join(this.#origin, each))))
        run(this.#origin, 'cp', ['-a', folder, join(this.root, folder)])
    } else run(this.root, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
    run(this.root, 'npm', ['run', 'build'])
    cpSync(join(this.root, 'dist'), this.#built, { recursive: true })
  }

  listSources(): string[] {
    return readdirSync(join(this.root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
      .map((path) => join('src', path))
  }

  has(file: string): boolean {
    return existsSync(join(this.root, file))
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8')
  }

  /** Replaces the current mutation; undefined restores the commit. False if it cannot be built. */
  apply(mutation: Mutation | undefined): boolean {
    if (mutation === this.#applied) return true
    this.#restore()
    this.#applied = mutation
    if (!mutation) return true
    const source = this.read(mutation.file)
    const mutated = applyEdit(source, mutation)
    const path = join(this.root, mutation.file)
    writeFileSync(path, mutated)
    this.#restore = () => {
      writeFileSync(path, source)
      cpSync(this.#built, join(this.root, 'dist'), { recursive: true })
    }
    this.#compile(mutation.file, mutated)
    const options = { cwd: this.root, stdio: 'ignore' } as const
    return [...BUNDLERS, ['-e', WRITE_DIGEST]].every(
      (argv) => spawnSync(process.execPath, argv, options).status === 0,
    )
  }

  /** Writes the module in dist, without a check of types. */
  #compile(file: string, source: string): void {
    // Its modules are in one bundle only.
    if (file.startsWith('src/console/')) return
    const { code } = transformSync(file, source, {
      target: 'es2023',
      typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
    })
    const built = file.replace('src/', 'dist/').replace(/\.ts$/, '.js')
    writeFileSync(join(this.root, built), code)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function run(cwd: string, program: string, argv: readonly string[]): void {
  execFileSync(program, argv, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
