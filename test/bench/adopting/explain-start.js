const REASONS = [
  [/ModuleNotFoundError: No module named '([\w-]+)/, 'a package or module of Python is missing'],
  [/Cannot find (?:package|module) '([^./'][^']*)'/, 'a package of Node is missing'],
  [/Unknown file extension "\.tsx?"|SyntaxError[\s\S]*\.ts\b/, 'TypeScript'],
  [/needs the program (\S+),|([\w.-]+): command not found/, 'a program is missing'],
  [/FileNotFoundError: [^\n]*\/skills\/|ImportError/, 'a file of the skill is missing'],
  [/Read-only file system/, 'it writes into its own folder'],
  [/(?:KeyError|not set|missing)[^\n]*[A-Z]{3,}_(?:KEY|TOKEN|SECRET)/, 'a secret is missing'],
  [/SyntaxError/, 'a syntax error of the script'],
]

/** Why a script did not start with --help, or how it started. */
export function explainStart({ status, error, output }, { script }) {
  if (status === 'timeout') return 'timeout'
  const text = error ? `${error.type}: ${error.message}` : (output?.printed ?? '')
  if (output?.status === 0) return 'started: it printed its help'
  for (const [pattern, reason] of REASONS) if (pattern.test(text)) return reason
  // A parser without --help refuses it in its own words.
  if (output && /usage|unknown option|invalid option|unrecognized|no such option/i.test(text)) {
    return 'started: it printed its usage'
  }
  return `other: ${script.split('.').at(-1)}: ${text.split('\n').at(-1).slice(0, 100)}`
}
