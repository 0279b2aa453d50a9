import { buildBashScript } from './bash.ts'
import { buildFishScript } from './fish.ts'
import type { CompletedCommand } from './describe-commands.ts'
import { buildZshScript } from './zsh.ts'

/** Shells and the functions that write their scripts. */
export const SHELLS = {
  bash: buildBashScript,
  zsh: buildZshScript,
  fish: buildFishScript,
} as const satisfies Record<string, (commands: readonly CompletedCommand[]) => string>
