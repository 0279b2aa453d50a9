import type { InlineCode, InlinePlan, Language } from '../language.ts'
import { isAtLeast } from '../program-version.ts'
import { STRIPS_TYPES_SINCE, getStripTypesMount, buildStripTypesArgs } from '../strip-types.ts'
import { planNodeRun } from './plan-node-run.ts'

export const typescript: Language = {
  name: 'typescript',
  title: 'TypeScript',
  extensions: ['.ts', '.mts'],
  aliases: ['tsx', 'bun', 'ts-node', 'node', 'deno', 'esbuild'],
  candidates: [
    {
      program: 'node',
      minVersion: '22.13.0',
      inline: (code) =>
        planNodeRun(code, {
          file: 'main.mts',
          type: 'module-typescript',
          flags: buildNodeFlags(code),
        }),
    },
    { program: 'tsx', isUntested: true, needs: ['node'], inline: () => planFileRun('tsx') },
    { program: 'bun', isUntested: true, inline: () => planFileRun('bun') },
    {
      program: 'deno',
      isUntested: true,
      inline: () => planFileRun('deno', ['run', '--quiet', '--allow-all']),
    },
    { program: 'ts-node', isUntested: true, needs: ['node'], inline: () => planFileRun('ts-node') },
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
    {
      program: 'node',
      minVersion: '20.6.0',
      tools: () => [getStripTypesMount()],
      inline: () => ({
        file: 'main.mts',
        run: ({ program, code }) => [program('node'), ...buildStripTypesArgs(), code],
      }),
    },
  ],
  install: 'Node.js 20.6 or newer, or one of tsx, Bun, Deno and ts-node',
  environment: { DENO_DIR: '/tmp/deno', BUN_INSTALL: '/tmp/bun' },
  limits: { processes: 256 },
}

function buildNodeFlags({ version }: InlineCode): string[] {
  const isOwn = isAtLeast(version, STRIPS_TYPES_SINCE)
  return isOwn ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
}

function planFileRun(name: string, args: readonly string[] = []): InlinePlan {
  return { file: 'main.mts', run: ({ program, code }) => [program(name), ...args, code] }
}
