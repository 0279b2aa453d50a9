import type { CommandDefinition } from '../command.ts'
import { auditCommand } from '../deps/audit.ts'
import { INSTALL_SYNTAX, installDependenciesCommand, runInstall } from '../deps/install.ts'
import { addCommand, lockCommand, updateCommand } from '../deps/lock.ts'

export const command: CommandDefinition = {
  summary: 'Install the packages in the lock files of a skill, or change them',
  details: [
    'Install the packages in the lock files of a skill.',
    '',
    '- skill.toml names them under [dependencies]: python = "requirements.lock" or',
    '  node = "package-lock.json".',
    '- Each package has a version and digests.',
    '- Installing runs no code of a package.',
    '- Runs of the skill can import the packages, but never install any.',
  ].join('\n'),
  ...INSTALL_SYNTAX,
  subcommands: {
    install: installDependenciesCommand,
    lock: lockCommand,
    add: addCommand,
    update: updateCommand,
    audit: auditCommand,
  },
  examples: [
    {
      command: 'skills deps demo.table',
      explains: 'Install the locked packages of a skill',
      notRun: 'it needs a package index',
    },
    {
      command: 'skills deps demo.table --from ./wheels',
      explains: 'Install without network',
      notRun: 'it needs a folder of wheels',
    },
    {
      command: 'skills deps demo.greet --check',
      explains: 'Check that the packages of a skill are installed',
    },
  ],
  run: runInstall,
}
