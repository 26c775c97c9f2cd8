// The layers in double precision: see reference.h. One loop nest each, as the formulas stand in
// README.md.
#include "reference.h"

// y[n][o] = sum of x[n][i] w[i][o], plus b[o]
void cnn_fc_forward(const cnn_arrays *a) {
    int64_t inputs = a->shape.channels, outputs = a->shape.filters;
    for (int64_t n = 0; n < a->shape.images; n++) {
        double *y = a->y + n * outputs;
        for (int64_t o = 0; o < outputs; o++) y[o] = a->b[o];
        for (int64_t i = 0; i < inputs; i++) {
            double x = a->x[n * inputs + i];
            for (int64_t o = 0; o < outputs; o++) y[o] += x * a->w[i * outputs + o];
        }
    }
}

// dx[n][i] = sum of delta[n][o] w[i][o]; dw[i][o] = sum of x[n][i] delta[n][o]; db[o] = sum of
// delta[n][o]
void cnn_fc_backward(const cnn_arrays *a) {
    int64_t inputs = a->shape.channels, outputs = a->shape.filters;
    memset(a->dw, 0, (size_t)(inputs * outputs) * sizeof *a->dw);
    memset(a->db, 0, (size_t)outputs * sizeof *a->db);
    for (int64_t n = 0; n < a->shape.images; n++) {
        const double *delta = a->delta + n * outputs;
        for (int64_t o = 0; o < outputs; o++) a->db[o] += delta[o];
        for (int64_t i = 0; i < inputs; i++) {
            double x = a->x[n * inputs + i], sum = 0.0;
            for (int64_t o = 0; o < outputs; o++) {
                sum += delta[o] * a->w[i * outputs + o];
                a->dw[i * outputs + o] += x * delta[o];
            }
            a->dx[n * inputs + i] = sum;
        }
    }
}

// y[n][f][i][j] = sum of x[n][c][i+r][j+s] w[f][c][r][s], plus b[f]
void cnn_conv_forward(const cnn_arrays *a) {
    int64_t channels = a->shape.channels, filters = a->shape.filters, width = a->shape.width;
    int64_t out_h = cnn_conv_out(a->shape.height), out_w = cnn_conv_out(width);
    int64_t plane = a->shape.height * width;
    for (int64_t n = 0; n < a->shape.images; n++)
        for (int64_t f = 0; f < filters; f++) {
            double *y = a->y + (n * filters + f) * out_h * out_w;
            for (int64_t p = 0; p < out_h * out_w; p++) y[p] = a->b[f];
            for (int64_t k = 0; k < channels * CNN_TAPS; k++) {
                int64_t c = k / CNN_TAPS, r = k % CNN_TAPS / CNN_SIDE, s = k % CNN_SIDE;
                const double *x = a->x + (n * channels + c) * plane + r * width + s;
                double w = a->w[f * channels * CNN_TAPS + k];
                for (int64_t i = 0; i < out_h; i++)
                    for (int64_t j = 0; j < out_w; j++) y[i * out_w + j] += w * x[i * width + j];
            }
        }
}

// dx[n][c][i+r][j+s] takes delta[n][f][i][j] w[f][c][r][s];
// dw[f][c][r][s] takes delta[n][f][i][j] x[n][c][i+r][j+s]; db[f] takes delta[n][f][i][j]
void cnn_conv_backward(const cnn_arrays *a) {
    int64_t channels = a->shape.channels, filters = a->shape.filters, width = a->shape.width;
    int64_t out_h = cnn_conv_out(a->shape.height), out_w = cnn_conv_out(width);
    int64_t plane = a->shape.height * width;
    memset(a->dx, 0, (size_t)(a->shape.images * channels * plane) * sizeof *a->dx);
    memset(a->dw, 0, (size_t)(filters * channels * CNN_TAPS) * sizeof *a->dw);
    memset(a->db, 0, (size_t)filters * sizeof *a->db);
    for (int64_t n = 0; n < a->shape.images; n++)
        for (int64_t f = 0; f < filters; f++) {
            const double *delta = a->delta + (n * filters + f) * out_h * out_w;
            for (int64_t p = 0; p < out_h * out_w; p++) a->db[f] += delta[p];
            for (int64_t k = 0; k < channels * CNN_TAPS; k++) {
                int64_t c = k / CNN_TAPS, r = k % CNN_TAPS / CNN_SIDE, s = k % CNN_SIDE;
                int64_t at = (n * channels + c) * plane + r * width + s;
                const double *x = a->x + at;
                double *dx = a->dx + at;
                double w = a->w[f * channels * CNN_TAPS + k], sum = 0.0;
                for (int64_t i = 0; i < out_h; i++)
                    for (int64_t j = 0; j < out_w; j++) {
                        sum += delta[i * out_w + j] * x[i * width + j];
                        dx[i * width + j] += delta[i * out_w + j] * w;
                    }
                a->dw[f * channels * CNN_TAPS + k] += sum;
            }
        }
}

void cnn_relu_forward(const cnn_arrays *a) {
    for (int64_t i = 0; i < a->shape.images * a->shape.channels; i++)
        a->y[i] = a->x[i] > 0.0 ? a->x[i] : 0.0;
}

void cnn_relu_backward(const cnn_arrays *a) {
    for (int64_t i = 0; i < a->shape.images * a->shape.channels; i++)
        a->dx[i] = a->x[i] > 0.0 ? a->delta[i] : 0.0;
}

void cnn_pool_forward(const cnn_arrays *a) {
    int64_t width = a->shape.width, plane = a->shape.height * width;
    int64_t out_h = a->shape.height / CNN_WINDOW, out_w = width / CNN_WINDOW;
    for (int64_t m = 0; m < a->shape.images * a->shape.channels; m++)
        for (int64_t p = 0; p < out_h * out_w; p++) {
            const double *x =
                a->x + m * plane + p / out_w * CNN_WINDOW * width + p % out_w * CNN_WINDOW;
            double best = 0.0;
            int where = CNN_NOWHERE;
            for (int k = 0; k < CNN_NOWHERE; k++) {
                double value = x[k / CNN_WINDOW * width + k % CNN_WINDOW];
                if (value > best) {
                    best = value;
                    where = k;
                }
            }
            a->y[m * out_h * out_w + p] = best;
            a->where[m * out_h * out_w + p] = (uint8_t)where;
        }
}

void cnn_pool_backward(const cnn_arrays *a) {
    int64_t width = a->shape.width, plane = a->shape.height * width;
    int64_t out_h = a->shape.height / CNN_WINDOW, out_w = width / CNN_WINDOW;
    int64_t maps = a->shape.images * a->shape.channels;
    memset(a->dx, 0, (size_t)(maps * plane) * sizeof *a->dx);
    for (int64_t m = 0; m < maps; m++)
        for (int64_t p = 0; p < out_h * out_w; p++) {
            int k = a->where_in[m * out_h * out_w + p];
            if (k >= CNN_NOWHERE) continue;
            int64_t i = p / out_w * CNN_WINDOW + k / CNN_WINDOW;
            int64_t j = p % out_w * CNN_WINDOW + k % CNN_WINDOW;
            a->dx[m * plane + i * width + j] = a->delta[m * out_h * out_w + p];
        }
}

void cnn_loss(const cnn_arrays *a) {
    int64_t classes = a->shape.channels, images = a->shape.images;
    for (int64_t n = 0; n < images; n++) {
        const double *x = a->x + n * classes;
        double *delta = a->delta_out + n * classes;
        double most = x[0], sum = 0.0;
        for (int64_t k = 1; k < classes; k++) most = fmax(most, x[k]);
        for (int64_t k = 0; k < classes; k++) sum += exp(x[k] - most);
        for (int64_t k = 0; k < classes; k++) {
            double p = exp(x[k] - most) / sum;
            delta[k] = (p - (k == a->labels[n] ? 1.0 : 0.0)) / (double)images;
        }
        a->losses[n] = log(sum) - (x[a->labels[n]] - most);
    }
}
