import { buildBashScript } from './bash.ts'
import { buildFishScript } from './fish.ts'
import type { CompletedCommand } from './describe-commands.ts'
import { buildZshScript } from './zsh.ts'

/** Every shell and what writes its script. */
export const SHELLS = {
  bash: buildBashScript,
  zsh: buildZshScript,
  fish: buildFishScript,
} as const satisfies Record<string, (commands: readonly CompletedCommand[]) => string>
