import { COMMAND_OPTIONS } from '../agent/command-options.ts'
import { GRANT_OPTIONS } from '../agent/grant-options.ts'
import { SESSION_OPTIONS, TURN_OPTIONS } from '../agent/session-options.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { FORMER_PROFILES, PROFILE_NAMES } from '../../core/methods/define-method.ts'
import { TOOL_FORMATS } from '../../core/tool-formats/tool-format-names.ts'
import type { CommandDefinition } from '../command.ts'

const SKILL_ARGUMENT = { syntax: '<skill>', description: 'Name or name@version' }
const COMMAND_ARGUMENT = {
  syntax: '<command...>',
  description: 'Shell command line, or program and arguments after --',
}

export const command: CommandDefinition = {
  summary: 'Call the tools that agents use for skills',
  details: [
    'Call the tools that agents use for skills.',
    '',
    'The tools behave as they do for a model. Loads are stored under the name of',
    'a session.',
  ].join('\n'),
  subcommands: {
    load: {
      summary: 'Load a skill into a session: the tool skill_load',
      arguments: [SKILL_ARGUMENT],
      options: [
        {
          flags: '--doc <name>',
          description: 'Also load this document, or a section: USAGE.md#install (repeatable)',
          isRepeatable: true,
        },
        { flags: '--all-docs', description: 'Also load every document' },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent load demo.greet', explains: 'Load the body of a skill' },
        {
          command: 'skills agent load demo.greet --session s1 --json',
          explains: 'Load it into another session, with JSON output',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/load.ts')).runLoadCommand(context, call),
    },
    docs: {
      summary: 'List or select documents of a skill: skill_list_docs, skill_select_docs',
      arguments: [SKILL_ARGUMENT],
      options: [
        {
          flags: '--select <name>',
          description: 'Select this document (repeatable)',
          isRepeatable: true,
        },
        { flags: '--all', description: 'Select every document' },
        {
          flags: '--mode <mode>',
          description: 'Add to the selection, replace it (default), or clear it',
          choices: ['add', 'replace', 'clear'],
        },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent docs demo.greet', explains: 'List the documents of a skill' },
        {
          command: 'skills agent docs demo.greet --mode clear',
          explains: 'Remove all documents from the conversation',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/docs.ts')).runDocsCommand(context, call),
    },
    run: {
      summary: 'Run a command of a skill in the workspace of a session: skill_run',
      startsRuns: true,
      details: [
        'Run a command of a skill in the workspace of a session: skill_run.',
        '',
        'The exit status is that of the command.',
      ].join('\n'),
      arguments: [SKILL_ARGUMENT, COMMAND_ARGUMENT],
      options: [
        ...COMMAND_OPTIONS,
        { flags: '--stdin', description: 'Forward standard input to the command' },
        ...GRANT_OPTIONS,
        ...SESSION_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills agent run demo.greet "echo hi > out/a.txt" --output "out/*.txt"',
          explains: 'Run a shell command line and return its output files',
        },
        {
          command: 'skills agent run demo.greet --json -- ls -l',
          explains: 'Print the complete result, as a model gets it',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/run.ts')).runSkillCommand(context, call),
    },
    exec: {
      summary: 'Run an interactive command on this terminal: skill_exec',
      startsRuns: true,
      details: [
        'Run an interactive command on this terminal: skill_exec.',
        '',
        'The exit status is that of the command.',
      ].join('\n'),
      arguments: [SKILL_ARGUMENT, COMMAND_ARGUMENT],
      options: [...COMMAND_OPTIONS, ...GRANT_OPTIONS, ...SESSION_OPTIONS, ...REMOTE_OPTIONS],
      examples: [
        {
          command: 'skills agent exec demo.greet -- cat SKILL.md',
          explains: 'Run a command with keyboard input, Ctrl-C included',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/exec.ts')).runExecCommand(context, call),
    },
    show: {
      summary: 'Show the loads of a session',
      options: [
        { flags: '--content', description: 'Show the text for the model' },
        {
          flags: '--request',
          description: 'Count as a model request: loads with mode "once" end afterwards',
        },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent show', explains: 'Show loaded skills and selected documents' },
        { command: 'skills agent show --content', explains: 'Show the text for the model' },
        {
          command: 'skills agent show --turn 2',
          explains: 'Start another turn and show the remaining loads',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/show.ts')).runShowCommand(context, call),
    },
    ls: {
      summary: 'List sessions in which agents loaded skills',
      options: [
        { flags: '--limit <count>', description: 'Show at most this many (default: 100)' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent ls', explains: 'Show the last changed sessions first' },
        {
          command: 'skills agent ls --url http://127.0.0.1:8080',
          explains: 'Show the sessions of a server',
          notRun: 'it needs a server',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/list-sessions.ts')).runListSessionsCommand(context, call),
    },
    request: {
      summary: 'Show the content of the next request of a session, and its tokens',
      details: [
        'Show the content of the next request of a session, and its tokens.',
        '',
        'The request has the system message, content of tool results, and tool',
        'definitions. Messages of the conversation are not known here. The session',
        'is not changed.',
      ].join('\n'),
      arguments: [
        { syntax: '[id]', description: 'Id that "skills agent ls" printed, instead of --session' },
      ],
      options: [
        {
          flags: '--profile <profile>',
          description: 'Select the profile of tools that the agent has',
          choices: PROFILE_NAMES,
          renamed: FORMER_PROFILES,
          default: 'agent',
        },
        {
          flags: '--format <format>',
          description: 'Select the provider format',
          choices: TOOL_FORMATS,
          default: 'openai',
        },
        ...SESSION_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills agent request --session s1',
          explains: 'Show the texts and tokens of the next request',
          notRun: 'it needs a session with loaded skills',
        },
        {
          command: 'skills agent request --session s1 --format anthropic --json',
          explains: 'Print the same with the tools of the Messages API',
          notRun: 'it needs a session with loaded skills',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/show-request.ts')).runRequestCommand(context, call),
    },
  },
}
