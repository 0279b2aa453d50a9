import type { CommandDefinition } from '../command.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  asksConsent: true,
  summary: 'Update installed skills, after a comparison',
  details: [
    'Update installed skills, after a comparison.',
    '',
    '- Each source of skills.lock is asked again. A source with a commit, a digest',
    '  or an exact version stays as it is.',
    '- You are shown what differs from the installed files, and asked. A consent is',
    '  to these files only. Without a terminal, --trust or --yes is needed:',
    '  otherwise nothing is changed, with exit status 4.',
    '- Files that were changed after the installation are kept, unless --force is',
    '  passed.',
    '- A skill that cannot be updated does not stop the others.',
    '- With --dry-run, newer, older, changed and withdrawn versions are listed, and',
    '  sources that cannot be asked, with the reason. These are no failure.',
  ].join('\n'),
  arguments: [
    { syntax: '[names...]', description: 'Names of skills in skills.lock; all by default' },
  ],
  options: [
    { flags: '-g, --global', description: 'Update the skills of your own ~/.agents/skills' },
    {
      flags: '-n, --dry-run',
      description: 'List other versions, show the differences, and change nothing',
    },
    { flags: '-y, --yes', description: 'Agree to whatever the sources have now' },
    { flags: '--trust <digest>', description: 'Agree to the files with this digest' },
    { flags: '--allow-downgrade', description: 'Accept an older version' },
    {
      flags: '--allow-republished',
      description: 'Accept other files under a tag or version that is installed',
    },
    { flags: '--force', description: 'Replace files that were changed after the installation' },
    TRUSTED_ROOT_OPTION,
  ],
  examples: [
    {
      command: 'skills update --dry-run',
      explains: 'Show what would change',
      notRun: 'it needs an installed skill',
    },
    {
      command: 'skills update demo.greet --trust sha256:… --json',
      explains: 'Update one skill in a script, and print JSON',
      notRun: 'it needs an installed skill',
    },
  ],
  async run(context, call) {
    const { runUpdate } = await import('../install/run-update.ts')
    return await runUpdate(context, call)
  },
}
