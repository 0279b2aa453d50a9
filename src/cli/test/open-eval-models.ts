import { SkillsError } from '../../errors.ts'
import { Budget, checkBudget } from '../../evals/model/budget.ts'
import type { EvalModel } from '../../evals/model/eval-model.ts'
import { openModel } from '../../evals/model/open-model.ts'
import type { EvalSettings } from '../../evals/running/run-evals.ts'
import type { EvalOptions } from './eval-options.ts'

type Models = Pick<EvalSettings, 'model' | 'judge'>

/** Opens the models; a regrading without a judge has none. */
export async function openEvalModels(
  { model: name, judgeModel, limits, regrade, mayJudge }: EvalOptions,
  places: { cwd: string; skills: readonly string[] },
): Promise<{ models: Models; budget: Budget }> {
  const budget = new Budget(limits)
  if (regrade !== undefined && !mayJudge) return { models: NO_MODELS, budget }
  if (name === undefined) {
    throw new SkillsError('usage/invalid', 'No model is configured for evals', {
      hint: 'Add --model <provider>/<model>, --model script:<file>, or the setting evals.model',
    })
  }
  const model = await openModel(name, places)
  const judge = judgeModel === undefined ? model : await openModel(judgeModel, places)
  checkBudget(limits, [model, judge])
  return { models: { model, judge }, budget }
}

const UNUSED_MODEL: EvalModel = {
  name: 'none',
  isFree: true,
  respond: async () => {
    throw new SkillsError('usage/invalid', 'No model may be called without --judge')
  },
}
const NO_MODELS: Models = { model: UNUSED_MODEL, judge: UNUSED_MODEL }
