import type { CommandDefinition } from '../command.ts'

/** Functions that write the script of each shell. */
const BUILDERS = {
  bash: async () => (await import('../completion/bash.ts')).buildBashScript,
  zsh: async () => (await import('../completion/zsh.ts')).buildZshScript,
  fish: async () => (await import('../completion/fish.ts')).buildFishScript,
}

export const command: CommandDefinition = {
  summary: 'Print a shell completion script',
  details: `Print a shell completion script.

It completes commands, options, their choices, the names of skills, their
inputs, files and secrets, lint rules and settings. zsh and fish show
descriptions. Install it with:

  bash  echo 'source <(skills completion bash)' >> ~/.bashrc
  zsh   skills completion zsh > "\${fpath[1]}/_skills"
  fish  skills completion fish > ~/.config/fish/completions/skills.fish`,
  arguments: [{ syntax: '<shell>', description: 'Target shell', choices: Object.keys(BUILDERS) }],
  examples: [
    { command: 'skills completion bash', explains: 'Print the script for bash' },
    { command: 'skills completion fish --json', explains: 'Print the script in a JSON document' },
  ],
  async run(context, call) {
    const { COMMANDS } = await import('./index.ts')
    const { describeCommands } = await import('../completion/describe-commands.ts')
    const shell = call.args[0] as keyof typeof BUILDERS
    const buildScript = await BUILDERS[shell]()
    const shown = COMMANDS.filter((each) => !each.hidden)
    const loaded = await Promise.all(
      shown.map(async (each) => [each.name, (await each.load()).command] as const),
    )
    const script = buildScript(describeCommands(Object.fromEntries(loaded)))
    if (context.global.json) context.document('skills.completion/v1', { shell, script })
    else context.print(script)
    return 0
  },
}
