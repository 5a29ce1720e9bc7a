import { expect, it } from 'vitest';
import { type Action, currentActions, registerActions } from './actions.ts';

const action = (id: string, title: string): Action => ({ id, title, section: 'Test', run: () => {} });
const titles = () => currentActions().map(({ title }) => title);

it('lets a screen replace an action of the frame while it is open', () => {
  const leaveFrame = registerActions([action('runs.new', 'Start a run'), action('lab.keys', 'Keys')]);
  const leaveScreen = registerActions([action('runs.new', 'Start a run of this task')]);
  expect(titles()).toEqual(['Start a run of this task', 'Keys']);
  leaveScreen();
  expect(titles()).toEqual(['Start a run', 'Keys']);
  leaveFrame();
  expect(titles()).toEqual([]);
});

it('does not mind in which order they leave', () => {
  const leaveFirst = registerActions([action('a', 'one')]);
  const leaveSecond = registerActions([action('a', 'two')]);
  leaveFirst();
  expect(titles()).toEqual(['two']);
  leaveSecond();
  expect(titles()).toEqual([]);
});
