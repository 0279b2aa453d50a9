import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  asksConsent: true,
  summary: 'Turn an Agent Skill or an OpenAPI document into a skill',
  details: [
    'Turn an Agent Skill or an OpenAPI document into a skill.',
    '',
    '- Each script in scripts/ becomes a command, with inputs from its parser of',
    '  arguments: argparse, click, typer, commander, yargs, parseArgs, minimist,',
    '  getopts. Scripts are parsed and never executed.',
    '- Hosts, secrets, programs and files are guessed from the code, each with',
    '  its place. What is not known is not allowed.',
    '- SKILL.md is not changed, and an existing skill.toml is kept.',
    '- A file is an OpenAPI document of version 3.0 or 3.1, as JSON or YAML. Each',
    '  operation becomes a command of a new skill, which sends its request.',
  ].join('\n'),
  arguments: [{ syntax: '<source>', description: 'Folder with SKILL.md, or an OpenAPI document' }],
  options: [
    { flags: '-o, --out <dir>', description: 'Write a copy of the skill below this folder' },
    { flags: '--name <name>', description: 'Name of the skill of an OpenAPI document' },
    {
      flags: '--operation <id>',
      description: 'Only this operation of an OpenAPI document',
      isRepeatable: true,
    },
    {
      flags: '--tag <name>',
      description: 'Only operations with this tag',
      isRepeatable: true,
    },
    {
      flags: '--server <url>',
      description: 'Address of the API, instead of the server of the document',
    },
    { flags: '-n, --dry-run', description: 'Show skill.toml, write nothing' },
    { flags: '-y, --yes', description: 'Write without a prompt' },
    { flags: '--force', description: 'Replace an existing skill.toml' },
  ],
  examples: [
    {
      command: 'skills adopt ./pdf --dry-run',
      explains: 'Show the manifest of an Agent Skill',
      notRun: 'it needs an Agent Skill',
    },
    {
      command: 'skills adopt ./pdf --out skills --yes',
      explains: 'Write a copy with a manifest to skills/pdf',
      notRun: 'it needs an Agent Skill',
    },
    {
      command: 'skills adopt openapi.yaml --name acme.pets --tag pets --out skills --yes',
      explains: 'Write a skill for the operations of an API',
      notRun: 'it needs an OpenAPI document',
    },
  ],
  async run(context, call) {
    const { runAdopt } = await import('../adopt/run-adopt.ts')
    return await runAdopt(context, call)
  },
}
