import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ADAPTER_DATA } from '../../adopting/adapter.ts'
import {
  buildTypeScriptLoaderArgs,
  listTypeScriptMounts,
} from '../../languages/typescript-loader.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { ActionProgram } from './action-program.ts'

const LOADER = fileURLToPath(new URL('../../../guest/javascript/runtime', import.meta.url))
/** Path of the loader inside: a Python action has no guest files of Node. */
const LOADER_TARGET = '/typescript/loader'

/**
 * Returns what Node needs to start the TypeScript of an adopted skill, whose entrypoint is in
 * Python; undefined for a skill without TypeScript.
 */
export function supportTypeScriptScripts(
  { manifest, dir }: MountedSkill,
  onHost: boolean,
): Pick<ActionProgram, 'environment' | 'tools'> | undefined {
  const commands = manifest.adoptedFiles?.get(ADAPTER_DATA) ?? readIfPresent(dir)
  if (!/"program":\s*"typescript"/.test(commands)) return undefined
  const folder = onHost ? LOADER : LOADER_TARGET
  return {
    environment: { NODE_OPTIONS: buildTypeScriptLoaderArgs({ onHost, folder }).join(' ') },
    tools: [...listTypeScriptMounts(), { source: LOADER, target: LOADER_TARGET }],
  }
}

function readIfPresent(dir: string): string {
  try {
    return readFileSync(join(dir, ADAPTER_DATA), 'utf8')
  } catch {
    // The run itself reports what is wrong with the file.
    return ''
  }
}
