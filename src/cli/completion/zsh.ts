import type { CompletedCommand, CompletionValues } from './describe-commands.ts'
import {
  buildArgumentCases,
  buildOptionCases,
  buildSubcommandCases,
  buildValueCases,
  buildValueOptionPattern,
} from './build-cases.ts'

/** Script for zsh, to be sourced or saved as _skills in a folder of fpath. */
export function buildZshScript(commands: readonly CompletedCommand[]): string {
  const lines = (each: readonly string[]) => each.map((line) => `      ${line}`).join('\n')
  return `#compdef skills skills-protocol
_skills() {
  local cur="\${words[CURRENT]}" at='' option='' first='' word i position=0
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $option ]]; then option=''; continue; fi
    case "$at|$word" in
      ${buildValueOptionPattern(commands)}) option=$word ;;
      *'|-'*) ;;
${lines(renamePathVariable(buildSubcommandCases(commands)))}
      *) [[ $position == 0 ]] && first=$word; position=$((position + 1)) ;;
    esac
  done
  if [[ -n $option ]]; then
    case "$at|$option" in
${lines(buildValueCases(commands, formatZshValues))}
    esac
  elif [[ $cur == -* ]]; then
    case "$at" in
${lines(buildOptionCases(commands, formatZshValues))}
    esac
  else
    case "$at|$position" in
${lines(buildArgumentCases(commands, formatZshValues))}
    esac
  fi
}
_skills_values() {
  local value text
  local -a pairs
  while IFS=$'\\t' read -r value text; do
    pairs+=("$value" "$text")
  done < <("\${words[1]}" completion-values "$1" "$first" "$cur" 2>/dev/null)
  if (( $#pairs )); then _skills_described "\${pairs[@]}"; elif [[ $1 == setting-values ]]; then _files; fi
}
# Pairs of values and descriptions.
_skills_described() {
  local value
  local -a values shown added
  while (( $# )); do
    value=$1
    values+=("$value")
    shown+=("$value\${2:+  -- $2}")
    shift 2
    [[ $value == *= ]] && added=(-S '')
  done
  compadd -l -d shown "\${added[@]}" -- "\${values[@]}"
}
if [[ $funcstack[1] == _skills ]]; then _skills "$@"; else compdef _skills skills skills-protocol; fi`
}

/** zsh ties `path` to PATH: an assignment would break every command. */
function renamePathVariable(cases: readonly string[]): readonly string[] {
  return cases.map((line) => line.replace(") path='", ") at='"))
}

function formatZshValues(values: CompletionValues): string {
  switch (values.kind) {
    case 'words':
      return values.descriptions
        ? `_skills_described ${values.words.map((word, at) => `${word} ${quoteForZsh(values.descriptions?.[at] ?? '')}`).join(' ')}`
        : `compadd -- ${values.words.join(' ')}`
    case 'values':
      return `_skills_values ${values.source}`
    case 'skills':
      return 'if [[ $cur == */* || $cur == .* ]]; then _files -/; else compadd -- ${(f)"$("${words[1]}" skill-names 2>/dev/null)"}; fi'
    case 'blobs':
    case 'runs':
      return `compadd -- \${(f)"$("\${words[1]}" ${values.kind} ls --ids 2>/dev/null)"}`
    case 'folders':
      return '_files -/'
    case 'files':
      return '_files'
    case 'anything':
      return ''
  }
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
