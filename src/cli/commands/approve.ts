import type { CommandDefinition } from '../command.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  asksConsent: true,
  summary: 'Install a parked skill, or list the parked skills',
  details: [
    'Install a parked skill, or list the parked skills.',
    '',
    '- A skill is parked if "skills install" could not ask you about it.',
    '- You are shown what "skills install" shows, and asked. Without a terminal,',
    '  --trust or --yes is needed, otherwise the exit status is 4.',
    '- Exactly the parked files are installed: they are hashed again, and',
    '  changed files are refused. Nothing is downloaded.',
  ].join('\n'),
  arguments: [{ syntax: '[name]', description: 'Name of a parked skill (default: list them)' }],
  options: [
    { flags: '-y, --yes', description: 'Agree to the parked files' },
    { flags: '--trust <digest>', description: 'Agree to the files with this digest' },
    { flags: '-g, --global', description: 'Approve a skill for your own ~/.agents/skills' },
    { flags: '--allow-downgrade', description: 'Replace a newer version' },
    { flags: '--allow-republished', description: 'Accept other files under an installed version' },
    { flags: '--force', description: 'Replace installed files that were changed' },
    TRUSTED_ROOT_OPTION,
  ],
  examples: [
    { command: 'skills approve', explains: 'List the parked skills' },
    {
      command: 'skills approve demo.greet --trust sha256:…',
      explains: 'Install a parked skill in a script',
      notRun: 'it needs a parked skill',
    },
  ],
  async run(context, call) {
    const { runApprove } = await import('../install/run-approve.ts')
    return await runApprove(context, call)
  },
}
