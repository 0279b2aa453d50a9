import type { InlineCode, InlinePlan, Language } from '../language.ts'
import { isAtLeast } from '../program-version.ts'
import {
  buildTypeScriptLoaderArgs,
  listTypeScriptMounts,
  needsTypeScriptLoader,
} from '../typescript-loader.ts'
import { fitsIntoArgument, planNodeRun } from './plan-node-run.ts'

/** The first version of Node that strips types by default. */
const STRIPS_TYPES_SINCE = '22.18.0'

export const typescript: Language = {
  name: 'typescript',
  title: 'TypeScript',
  extensions: ['.ts', '.mts'],
  aliases: ['tsx', 'bun', 'ts-node', 'node', 'deno', 'esbuild'],
  candidates: [
    {
      program: 'node',
      minVersion: '20.6.0',
      tools: listTypeScriptMounts,
      inline: (code) => (canStripTypes(code) ? planStrippedRun(code) : LOADED_RUN),
      buildDirectArgs: (args) => [...buildTypeScriptLoaderArgs(), ...args],
    },
    {
      program: 'tsx',
      isUntested: true,
      needs: ['node'],
      inline: () =>
        planRun(({ program, code }) => [
          program('tsx'),
          ...buildTypeScriptLoaderArgs({ inline: code, resolvesOnly: true }),
          code,
        ]),
    },
    {
      program: 'bun',
      isUntested: true,
      inline: (code) =>
        planEvaluatedRun(code, 'bun', { evaluate: ['--eval'], dash: ['-'], runFile: ['run'] }),
    },
    {
      program: 'deno',
      isUntested: true,
      inline: (code) =>
        planEvaluatedRun(code, 'deno', { evaluate: DENO_EVAL, dash: [], runFile: DENO_RUN }),
      buildDirectArgs: (args) => (isScriptPath(args[0]) ? [...DENO_RUN, ...args] : args),
    },
    {
      program: 'ts-node',
      isUntested: true,
      needs: ['node'],
      inline: () => planRun(({ program, code }) => [program('ts-node'), code]),
    },
    {
      program: 'esbuild',
      needs: ['node'],
      inline: () => ({
        file: 'main.mts',
        compile: {
          product: 'main.mjs',
          command: ({ program, code, build }) => [
            program('esbuild'),
            code,
            '--log-level=warning',
            '--format=esm',
            '--target=node20',
            `--outfile=${build}/main.mjs`,
          ],
        },
        run: ({ program, build }) => [program('node'), `${build}/main.mjs`],
      }),
    },
  ],
  install: 'Node.js 20.6 or newer, or one of tsx, Bun, Deno and ts-node',
  environment: { DENO_DIR: '/tmp/deno', BUN_INSTALL: '/tmp/bun' },
  limits: { processes: 256 },
}

const DENO_EVAL = ['eval', '--quiet', '--ext=ts']
const DENO_RUN = ['run', '--quiet', '--allow-all']

/** True if Node itself removes the types, which is the fastest. */
function canStripTypes({ text, version }: InlineCode): boolean {
  return isAtLeast(version, '22.13.0') && !needsTypeScriptLoader(text)
}

function planStrippedRun(code: InlineCode): InlinePlan {
  const isOwn = isAtLeast(code.version, STRIPS_TYPES_SINCE)
  const flags = isOwn ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
  return planNodeRun(code, { file: 'main.mts', type: 'module-typescript', flags })
}

function planRun(run: InlinePlan['run']): InlinePlan {
  return { file: 'main.mts', run }
}

const LOADED_RUN = planRun(({ program, code }) => [
  program('node'),
  ...buildTypeScriptLoaderArgs({ inline: code }),
  code,
])

interface EvaluationArgs {
  evaluate: readonly string[]
  /** Takes the place of the file in process.argv, where the program has none. */
  dash: readonly string[]
  runFile: readonly string[]
}

/** Code that fits into an argument is evaluated, so its imports resolve from the current folder. */
function planEvaluatedRun(
  { text }: InlineCode,
  name: string,
  { evaluate, dash, runFile }: EvaluationArgs,
): InlinePlan {
  const isShort = fitsIntoArgument(text)
  return planRun(({ program, code }) =>
    isShort ? [program(name), ...evaluate, text, '--', ...dash] : [program(name), ...runFile, code],
  )
}

function isScriptPath(argument: string | undefined): boolean {
  return argument !== undefined && /\.[cm]?[jt]sx?$/.test(argument)
}
