/** A file of cases with a mistake. */
export interface MalformedSuite {
  name: string
  /** Line and column, from 1. */
  at: string
  message: string
  text: string
  format?: 'yaml'
}

export const MALFORMED_SUITES: readonly MalformedSuite[] = [
  {
    name: 'a file that is also a folder',
    at: '1:1',
    message: 'The file "a" of the workspace is also a folder with files',
    text: '[[cases]]\nname = "x"\ncommand = "true"\nfiles = { a = "x", "a/b" = "y" }\nexpect = [{ exit_code = 0 }]\n',
  },
  {
    name: 'an open table',
    at: '1:9',
    message: 'expected end of table array declaration',
    text: '[[cases]\n',
  },
  {
    name: 'an open text',
    at: '1:15',
    message: 'control characters are not allowed in strings',
    text: 'suite = "greet\n',
  },
  {
    name: 'a repeated key',
    at: '2:1',
    message: 'trying to redefine an already defined table or value at "suite"',
    text: 'suite = "a"\nsuite = "b"\n',
  },
  {
    name: 'a tab in YAML',
    at: '2:1',
    message: 'Tabs are not allowed as indentation',
    text: 'cases:\n\t- name: a\n',
    format: 'yaml',
  },
  {
    name: 'a repeated key in YAML',
    at: '2:1',
    message: 'Map keys must be unique',
    text: 'suite: a\nsuite: b\n',
    format: 'yaml',
  },
  {
    name: 'a list instead of a table',
    at: '1:1',
    message: 'Expected a mapping of keys to values',
    text: '- name: a\n',
    format: 'yaml',
  },
  { name: 'no cases', at: '1:1', message: 'The key "cases" is missing', text: 'suite = "greet"\n' },
  {
    name: 'an empty list of cases',
    at: '1:9',
    message: 'Expected at least one case, got an empty list',
    text: 'cases = []\n',
  },
  {
    name: 'a text instead of cases',
    at: '1:9',
    message: 'Expected at least one case, got "a"',
    text: 'cases = "a"\n',
  },
  {
    name: 'a number instead of a case',
    at: '1:10',
    message: 'Expected a table, got 1',
    text: 'cases = [1]\n',
  },
  {
    name: 'an unknown key of the file',
    at: '1:1',
    message: 'Unknown key "tests"',
    text: 'tests = 1\n[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an unknown key of a case',
    at: '3:1',
    message: 'Unknown key "argz"',
    text: '[[cases]]\nname = "a"\nargz = {}\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an unknown key of a case in YAML',
    at: '3:5',
    message: 'Unknown key "nmae"',
    text: 'cases:\n  - name: a\n    nmae: b\n    expect: [{ status: failed }]\n',
    format: 'yaml',
  },
  {
    name: 'an unknown key of the defaults',
    at: '2:1',
    message: 'Unknown key "tag"',
    text: '[defaults]\ntag = ["a"]\n\n[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'a case without a name',
    at: '1:3',
    message: 'The key "name" is missing',
    text: '[[cases]]\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an empty name',
    at: '2:8',
    message: 'Expected a text that is not empty, got " "',
    text: '[[cases]]\nname = " "\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'two cases with one name',
    at: '6:8',
    message: 'Two cases have the name "a"',
    text: '[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n\n[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'a case without expectations',
    at: '1:3',
    message: 'The key "expect" is missing',
    text: '[[cases]]\nname = "a"\n',
  },
  {
    name: 'an empty list of expectations',
    at: '3:10',
    message: 'Expected at least one element, got an empty list',
    text: '[[cases]]\nname = "a"\nexpect = []\n',
  },
  {
    name: 'an empty expectation',
    at: '3:11',
    message: 'An empty expectation checks nothing',
    text: '[[cases]]\nname = "a"\nexpect = [{}]\n',
  },
  {
    name: 'only a negation',
    at: '3:11',
    message: 'An empty expectation checks nothing',
    text: '[[cases]]\nname = "a"\nexpect = [{ not = true }]\n',
  },
  {
    name: 'a text instead of an expectation',
    at: '3:11',
    message: 'Expected a table, got "completed"',
    text: '[[cases]]\nname = "a"\nexpect = ["completed"]\n',
  },
  {
    name: 'two keys in one expectation',
    at: '3:32',
    message: 'Expected one key, got "status" and "exit_code"',
    text: '[[cases]]\nname = "a"\nexpect = [{ status = "failed", exit_code = 1 }]\n',
  },
  {
    name: 'an unknown expectation',
    at: '3:13',
    message: 'Unknown expectation "stats"',
    text: '[[cases]]\nname = "a"\nexpect = [{ stats = "failed" }]\n',
  },
  {
    name: 'an unknown status',
    at: '3:22',
    message: 'Expected one of "completed", "failed", "refused", got "done"',
    text: '[[cases]]\nname = "a"\nexpect = [{ status = "done" }]\n',
  },
  {
    name: 'a negation that is a text',
    at: '3:38',
    message: 'Expected true or false, got "yes"',
    text: '[[cases]]\nname = "a"\nexpect = [{ status = "failed", not = "yes" }]\n',
  },
  {
    name: 'an empty condition on a result',
    at: '3:22',
    message:
      'Expected at least one of path, equals, includes, matches, type, schema, length, got an empty table',
    text: '[[cases]]\nname = "a"\nexpect = [{ result = {} }]\n',
  },
  {
    name: 'an unknown key of a condition',
    at: '4:16',
    message: 'Unknown key "equal"',
    text: '[[cases]]\nname = "a"\nexpect = [\n  { result = { equal = 1 } },\n]\n',
  },
  {
    name: 'a path that cannot be read',
    at: '3:31',
    message: 'Expected a path such as items[0].name, got "a..b"',
    text: '[[cases]]\nname = "a"\nexpect = [{ result = { path = "a..b" } }]\n',
  },
  {
    name: 'a wrong regular expression',
    at: '3:34',
    message: 'Expected a regular expression: /(/su: Unterminated group',
    text: '[[cases]]\nname = "a"\nexpect = [{ stdout = { matches = "(" } }]\n',
  },
  {
    name: 'a negative exit code',
    at: '3:25',
    message: 'Expected a whole number from 0, got -1',
    text: '[[cases]]\nname = "a"\nexpect = [{ exit_code = -1 }]\n',
  },
  {
    name: 'arguments that are a list',
    at: '3:8',
    message: 'Expected a table, got an empty list',
    text: '[[cases]]\nname = "a"\nargs = []\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'a timeout of zero',
    at: '3:11',
    message: 'Expected a duration such as "500ms" or "2s", got "0s"',
    text: '[[cases]]\nname = "a"\ntimeout = "0s"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'arguments of a command',
    at: '4:1',
    message: 'The key "args" has no effect here',
    text: '[[cases]]\nname = "a"\ncommand = "ls"\nargs = {}\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'two actions',
    at: '3:1',
    message: 'The key "command" has no effect here',
    text: '[[cases]]\nname = "a"\ncommand = "ls"\nprogram = ["ls"]\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'input of a function',
    at: '3:1',
    message: 'The key "stdin" has no effect here',
    text: '[[cases]]\nname = "a"\nstdin = "a"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an unknown language',
    at: '4:12',
    message: 'Expected one of "python", "node", "typescript", "shell", got "perl"',
    text: '[[cases]]\nname = "a"\ncode = "a"\nlanguage = "perl"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an empty list of tags',
    at: '3:8',
    message: 'Expected at least one element, got an empty list',
    text: '[[cases]]\nname = "a"\ntags = []\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'a file that is a number',
    at: '3:21',
    message: 'Expected a text or a table, got 1',
    text: '[[cases]]\nname = "a"\nfiles = { "a.txt" = 1 }\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an empty secret',
    at: '3:21',
    message: 'Expected a text that is not empty, got ""',
    text: '[[cases]]\nname = "a"\nsecrets = { TOKEN = "" }\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an unknown part of a snapshot',
    at: '3:24',
    message:
      'Expected one of "result", "error", "stdout", "stderr", "logs", "files", "transcript", got "output"',
    text: '[[cases]]\nname = "a"\nexpect = [{ snapshot = "output" }]\n',
  },
  {
    name: 'a snapshot of nothing',
    at: '3:24',
    message: 'Expected either "of" or "file"',
    text: '[[cases]]\nname = "a"\nexpect = [{ snapshot = { name = "a" } }]\n',
  },
  {
    name: 'a snapshot name with a path',
    at: '3:48',
    message: 'Expected a name of letters, digits, dots, hyphens and underscores, got "../a"',
    text: '[[cases]]\nname = "a"\nexpect = [{ snapshot = { of = "stdout", name = "../a" } }]\n',
  },
  {
    name: 'a negated snapshot',
    at: '3:34',
    message: 'The expectation "snapshot" cannot be negated',
    text: '[[cases]]\nname = "a"\nexpect = [{ snapshot = "stdout", not = true }]\n',
  },
  {
    name: 'two snapshots with one file',
    at: '3:36',
    message: 'Two expectations have the snapshot "a.stdout.txt"',
    text: '[[cases]]\nname = "a"\nexpect = [{ snapshot = "stdout" }, { snapshot = "stdout" }]\n',
  },
  {
    name: 'a memory limit without a unit',
    at: '3:10',
    message: 'Expected a size from "16MiB" on, got 64',
    text: '[[cases]]\nname = "a"\nmemory = 64\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'a memory limit in which no interpreter starts',
    at: '3:10',
    message: 'Expected a size from "16MiB" on, got "1KiB"',
    text: '[[cases]]\nname = "a"\nmemory = "1KiB"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'more memory than the configuration has',
    at: '1:1',
    message: 'A case can have at most 512 MiB of memory, got 1 TiB',
    text: '[[cases]]\nname = "a"\nmemory = "1TiB"\nexpect = [{ status = "completed" }]\n',
  },
  {
    name: 'an exit code of a function',
    at: '3:13',
    message: 'The expectation "exit_code" does not apply to a case with "args"',
    text: '[[cases]]\nname = "a"\nexpect = [{ exit_code = 0 }]\n',
  },
]
