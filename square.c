/* Derived by gradcli 0.1.0: gradcli derive 'x**2' --at 3 --lang c */

/* The gradient of x**2 by x.

   s_x is the sensitivity of the result on x: how much the result changes when x
   does, relative to that change. */
double grad_f(double x)
{
    // return x ** 2
    return 2 * x;
}
