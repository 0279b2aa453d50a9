import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ToolMount } from './language.ts'

/** Folder inside the sandbox, in the part of the guest for languages other than Python. */
const LOADER_FOLDER = '/guest/node_modules/runtime'
/** Paths inside the sandbox of the package that removes types, and of the one for decorators. */
const SWC_TARGET = '/typescript/swc'
const ESBUILD_TARGET = '/typescript/esbuild'

/**
 * Syntax beyond erasable types: decorators, accessors, using, enums, namespaces, parameter properties, import
 * assignments; and relative imports, whose extension may be missing. May match other text, which
 * only costs time.
 */
const TRANSFORMED_SYNTAX =
  /@|\b(?:accessor|using|enum|namespace|public|private|protected|readonly|override)\b|\bmodule\s+[\w"']|\bimport\s+\w+\s*=|\bexport\s*=|["'`]\.{0,2}\//

/** True if Node's own removal of types is not enough for the code. */
export function needsTypeScriptLoader(code: string): boolean {
  return TRANSFORMED_SYNTAX.test(code)
}

interface LoaderOptions {
  /** True if nothing is mounted. */
  onHost?: boolean
  /** Folder of the loader, if not that of the guest. */
  folder?: string
  /** File of inline code. Its imports resolve from the current folder. */
  inline?: string
  /** True if another program transforms the files, and only imports are resolved. */
  resolvesOnly?: boolean
}

/** Builds arguments of Node that make it load the whole of TypeScript. */
export function buildTypeScriptLoaderArgs({
  onHost = false,
  folder = LOADER_FOLDER,
  inline,
  resolvesOnly = false,
}: LoaderOptions = {}): string[] {
  const parts = findTransformers()
  const resolvePart = ({ source, target, file }: Transformer) =>
    join(onHost ? source : target, file)
  const query = new URLSearchParams({
    ...(!resolvesOnly && { swc: resolvePart(parts.swc) }),
    ...(!resolvesOnly && parts.esbuild && { esbuild: resolvePart(parts.esbuild) }),
    ...(inline !== undefined && { inline }),
    syntax: TRANSFORMED_SYNTAX.source,
  })
  return ['--import', `${folder}/typescript.mjs?${query}`]
}

/** Lists the mounts that these arguments need. */
export function listTypeScriptMounts(): ToolMount[] {
  const { swc, esbuild } = findTransformers()
  return [swc, ...(esbuild ? [esbuild] : [])].map(({ source, target }) => ({ source, target }))
}

/** A file of a package, and the folder that is mounted. */
interface Transformer extends ToolMount {
  file: string
}

function findTransformers(): { swc: Transformer; esbuild: Transformer | undefined } {
  const require = createRequire(import.meta.url)
  const main = realpathSync(require.resolve('@swc/wasm-typescript'))
  const source = dirname(main)
  const swc = { source, target: SWC_TARGET, file: main.slice(source.length) }
  return { swc, esbuild: findEsbuild(require) }
}

/** Undefined if the optional package is not installed. */
function findEsbuild(require: NodeJS.Require): Transformer | undefined {
  try {
    const main = createRequire(require.resolve('esbuild'))
    const platform = main.resolve(`@esbuild/${process.platform}-${process.arch}/package.json`)
    const source = join(dirname(realpathSync(platform)), 'bin')
    return existsSync(join(source, 'esbuild'))
      ? { source, target: ESBUILD_TARGET, file: 'esbuild' }
      : undefined
  } catch {
    return undefined
  }
}
