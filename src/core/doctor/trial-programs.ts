import type { LanguageName } from '../languages/language.ts'

/** The line that each program prints. */
export const TRIAL_OUTPUT = 'it runs'

/** The smallest program of each language that shows that its tools work. */
export const TRIAL_PROGRAMS: Readonly<Record<LanguageName, string>> = {
  node: `console.log('${TRIAL_OUTPUT}')`,
  typescript: `const text: string = '${TRIAL_OUTPUT}'\nconsole.log(text)`,
  python: `print('${TRIAL_OUTPUT}')`,
  shell: `echo '${TRIAL_OUTPUT}'`,
  powershell: `Write-Output '${TRIAL_OUTPUT}'`,
  go: `package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("${TRIAL_OUTPUT}") }\n`,
  java: `class Main { public static void main(String[] args) { System.out.println("${TRIAL_OUTPUT}"); } }`,
  kotlin: `fun main() { println("${TRIAL_OUTPUT}") }`,
  rust: `fn main() { println!("${TRIAL_OUTPUT}"); }`,
  c: `#include <stdio.h>\nint main(void) { puts("${TRIAL_OUTPUT}"); }\n`,
  // The standard library is linked for "new"; its headers of streams take longer than all the rest.
  cpp: `#include <cstdio>\nint main() { std::puts(*new const char *("${TRIAL_OUTPUT}")); }\n`,
  csharp: `class Program { static void Main() { System.Console.WriteLine("${TRIAL_OUTPUT}"); } }`,
  ruby: `puts '${TRIAL_OUTPUT}'`,
  php: `<?php echo "${TRIAL_OUTPUT}\\n";`,
  perl: `print "${TRIAL_OUTPUT}\\n";`,
  r: `cat("${TRIAL_OUTPUT}\\n")`,
  elixir: `IO.puts("${TRIAL_OUTPUT}")`,
}
